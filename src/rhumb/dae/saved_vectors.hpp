#pragma once
/// What a Problem may remember that is as large as its solution (averages over time, say): vectors that checkpoints keep
/// beside y. dae::System::saved_state has the numbers.

#include <petscvec.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::dae {

class SavedVectors {
public:
  using Named = std::pair<std::string, Vec>;

  SavedVectors() = default;
  virtual ~SavedVectors() = default;
  SavedVectors(const SavedVectors&) = delete;
  SavedVectors& operator=(const SavedVectors&) = delete;

  /// With the layout of y; borrowed. Names are not those of the integrator's vectors.
  virtual std::vector<Named> saved_vectors() const = 0;
  /// All vectors of the checkpoint, after `restore_state`: to be copied.
  virtual void restore_vectors(std::span<const Named> saved) = 0;
};

} // namespace rhumb::dae
