#pragma once
/// The one owner of a PETSc object. Holds it, destroys it, passes it raw to PETSc; it repeats none of PETSc's API.

#include <petscdm.h>
#include <petscksp.h>
#include <utility>

namespace rhumb::core {

template <class Object, PetscErrorCode (*Destroy)(Object*)>
class Handle {
public:
  Handle() = default;
  /// Takes over one reference.
  explicit Handle(Object object) : object_(object) {}
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  operator Object() const { return object_; } // NOLINT(google-explicit-constructor): passed raw to PETSc
  explicit operator bool() const { return object_ != nullptr; }
  Object get() const { return object_; }

  /// For PETSc's creating functions: drops what was held and lends the place.
  Object* out() {
    reset();
    return &object_;
  }

  void reset() {
    if (object_) Destroy(&object_);
    object_ = nullptr;
  }

private:
  Object object_ = nullptr;
};

using VecHandle = Handle<Vec, VecDestroy>;
using MatHandle = Handle<Mat, MatDestroy>;
using KspHandle = Handle<KSP, KSPDestroy>;
using PcHandle = Handle<PC, PCDestroy>;
using DmHandle = Handle<DM, DMDestroy>;
using IsHandle = Handle<IS, ISDestroy>;
using ScatterHandle = Handle<VecScatter, VecScatterDestroy>;

/// A vector of the same layout, zeroed.
VecHandle same_layout(Vec model);

} // namespace rhumb::core
