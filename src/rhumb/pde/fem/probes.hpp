#pragma once
/// Values of components at given places of a mesh, as the elements have them there.

#include <rhumb/pde/fem/space.hpp>

namespace rhumb::fem {

class Probes {
public:
  /// Called on all ranks. Throws core::BadInput, on all ranks and with the option that asked for it, for a place
  /// outside the mesh.
  Probes(const Space& space, const std::vector<Position>& places, const std::string& option = "probes");

  std::size_t size() const { return held_.size(); }
  /// One value per place, the same on all ranks, from a solution's local array. Called on all ranks.
  std::vector<double> values(int component, const double* local) const;

private:
  /// The cell that a place lies in, and where in it.
  struct Held {
    PetscInt cell = -1; ///< -1: on another rank
    std::vector<double> reference;
    double excess = 0.0;                        ///< how far outside the reference cell
    std::vector<std::vector<double>> weights{}; ///< of the cell's unknowns, by component
  };
  Held find(const Position& place) const;
  Held inside(PetscInt cell, const Position& place) const;

  const Space& space_;
  std::vector<Held> held_;
};

} // namespace rhumb::fem
