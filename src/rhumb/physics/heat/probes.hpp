#pragma once
/// The temperature at given places, linear between the points around each.

#include <rhumb/grid/box.hpp>

namespace rhumb::heat {

class BoxProbes {
public:
  BoxProbes(const std::vector<std::array<double, 3>>& places, const grid::Box& box);
  std::size_t size() const { return shares_.size(); }
  /// One value per place, the same on all ranks. Called on all ranks.
  std::vector<double> values(Vec y) const;

private:
  struct Share {
    PetscInt owned;
    double weight;
  };
  MPI_Comm comm_;
  std::vector<std::vector<Share>> shares_; ///< of this rank's points in each probe
};

} // namespace rhumb::heat
