#pragma once
/// Arrays of other codes as Vecs of the problem's layout.

#include "core/check.hpp"
#include "dae/problem.hpp"
#include <petsc/private/petscimpl.h> // PetscObjectStateIncrease
#include <utility>
#include <vector>

namespace rhumb::bench {

/// A code has a fixed set of arrays, so each gets its Vec once and a call costs the code nothing but the search. PETSc
/// is told that the numbers may be others than the last time.
class Lent {
public:
  explicit Lent(const dae::Problem& problem) : problem_(problem) {}
  ~Lent() {
    for (auto& pair : known_) VecResetArray(pair.second);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  Vec operator()(const double* numbers) {
    for (auto& [address, vector] : known_)
      if (address == numbers) {
        core::check(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(vector.get())));
        return vector;
      }
    auto vector = problem_.create_vector();
    core::check(VecPlaceArray(vector, numbers));
    return known_.emplace_back(numbers, std::move(vector)).second;
  }

private:
  const dae::Problem& problem_;
  std::vector<std::pair<const double*, core::VecHandle>> known_;
};

} // namespace rhumb::bench
