#include <rhumb/pde/moving_box/simplices.hpp>

#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>
#include <map>

namespace rhumb::moving_box {

using core::check;

double Simplices::length() const {
  return std::pow(volume_, 1.0 / dimension_);
}

void Simplices::find_faces() {
  std::map<std::array<PetscInt, 3>, std::pair<PetscInt, int>> open; // by the face's corners
  for (PetscInt e = 0; e < count(); ++e)
    for (int far = 0; far < vertices(); ++far) {
      std::array<PetscInt, 3> face{-1, -1, -1};
      bool here = false;
      for (int a = 0, k = 0; a < vertices(); ++a) {
        if (a == far) continue;
        face[k++] = corners(e)[a];
        here = here || is_own(corners(e)[a]);
      }
      if (!here) continue;
      std::ranges::sort(face);
      const auto [first, is_new] = open.try_emplace(face, e, far);
      if (!is_new) faces_.push_back({first->second.first, e, first->second.second, far});
    }
}

void Simplices::create_exchange() {
  const core::VecHandle all = create_vector(), here = create_local();
  core::IsHandle from;
  check(ISCreateBlock(comm_, unknowns_, nodes(), global_.data(), PETSC_USE_POINTER, from.out()));
  check(VecScatterCreate(all, from, here, nullptr, scatter_.out()));
}

core::VecHandle Simplices::create_vector() const {
  core::VecHandle y;
  check(VecCreate(comm_, y.out()));
  check(VecSetBlockSize(y, unknowns_));
  check(VecSetSizes(y, owned_nodes() * unknowns_, PETSC_DETERMINE));
  check(VecSetType(y, VECSTANDARD));
  return y;
}

core::VecHandle Simplices::create_local() const {
  core::VecHandle local;
  check(VecCreateSeq(PETSC_COMM_SELF, nodes() * unknowns_, local.out()));
  return local;
}

void Simplices::to_local(Vec y, Vec local) const {
  check(VecScatterBegin(scatter_, y, local, INSERT_VALUES, SCATTER_FORWARD));
  check(VecScatterEnd(scatter_, y, local, INSERT_VALUES, SCATTER_FORWARD));
}

} // namespace rhumb::moving_box
