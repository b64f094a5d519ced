#pragma once
/// Arrays of other codes as Vecs of the problem's layout.

#include <rhumb/core/check.hpp>
#include <rhumb/core/petsc_private.hpp> // PetscObjectStateIncrease
#include <rhumb/dae/problem.hpp>
#include <utility>
#include <vector>

namespace rhumb::bench {

/// A code has a fixed set of arrays, so each gets its Vec once and a call costs the code nothing but the search, and no
/// memory. PETSc is told that the numbers may be others than the last time.
class Lent {
public:
  explicit Lent(const dae::Problem& problem) {
    const auto model = problem.create_vector();
    core::check(VecGetLocalSize(model, &size_));
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  Vec operator()(const double* numbers) {
    for (auto& [address, vector] : known_)
      if (address == numbers) {
        core::check(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(vector.get())));
        return vector;
      }
    core::VecHandle vector;
    core::check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size_, numbers, vector.out()));
    return known_.emplace_back(numbers, std::move(vector)).second;
  }

private:
  PetscInt size_ = 0;
  std::vector<std::pair<const double*, core::VecHandle>> known_;
};

} // namespace rhumb::bench
