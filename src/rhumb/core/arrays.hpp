#pragma once
/// The local entries of a Vec as a span, for as long as the object lives.

#include <rhumb/core/check.hpp>
#include <cstddef>
#include <petscvec.h>
#include <span>

namespace rhumb::core {

class Readable {
public:
  explicit Readable(Vec vector) : vector_(vector) {
    PetscInt size = 0;
    check(VecGetLocalSize(vector, &size));
    check(VecGetArrayRead(vector, &data_));
    size_ = static_cast<std::size_t>(size);
  }
  ~Readable() { VecRestoreArrayRead(vector_, &data_); }
  Readable(const Readable&) = delete;
  Readable& operator=(const Readable&) = delete;

  double operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }
  const double* begin() const { return data_; }
  const double* end() const { return data_ + size_; }
  std::span<const double> span() const { return {data_, size_}; }

private:
  Vec vector_;
  const PetscScalar* data_ = nullptr;
  std::size_t size_ = 0;
};

class Writable {
public:
  explicit Writable(Vec vector) : vector_(vector) {
    PetscInt size = 0;
    check(VecGetLocalSize(vector, &size));
    check(VecGetArray(vector, &data_));
    size_ = static_cast<std::size_t>(size);
  }
  ~Writable() { VecRestoreArray(vector_, &data_); }
  Writable(const Writable&) = delete;
  Writable& operator=(const Writable&) = delete;

  double& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }
  double* begin() const { return data_; }
  double* end() const { return data_ + size_; }
  std::span<double> span() const { return {data_, size_}; }

private:
  Vec vector_;
  PetscScalar* data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace rhumb::core
