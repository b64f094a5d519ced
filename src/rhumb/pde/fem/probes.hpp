#pragma once
/// Values of components at given places of a mesh, as the elements have them there.

#include <rhumb/pde/fem/space.hpp>

namespace rhumb::fem {

class Probes {
public:
  /// Called on all ranks. Throws core::BadInput, on all ranks and with the option that asked for it, for a place
  /// outside the mesh.
  Probes(const Space& space, const std::vector<Position>& positions, const std::string& option = "probes");

  std::size_t size() const { return hits_.size(); }
  /// One value per place, the same on all ranks, from a solution's local array. Called on all ranks.
  std::vector<double> values(int component, const double* local) const;

  /// The cell that a place lies in; -1: another rank's.
  PetscInt cell(std::size_t probe) const { return hits_[probe].cell; }
  /// A component's value (a = 0) or derivative in direction a - 1, where the place is this rank's.
  double at(std::size_t probe, int component, int a, const double* local) const;

private:
  /// The cell that a place lies in, and where in it.
  struct ProbeHit {
    PetscInt cell = -1; ///< -1: on another rank
    std::vector<double> reference;
    double excess = 0.0;                        ///< how far outside the reference cell
    std::vector<std::vector<double>> weights{}; ///< of the cell's unknowns, by component
    std::vector<std::vector<double>> slopes{};  ///< the same for derivatives, [direction, unknown]
  };
  void find_weights(ProbeHit& hit) const;
  ProbeHit find(const Position& position) const;
  ProbeHit inside(PetscInt cell, const Position& position) const;

  const Space& space_;
  std::vector<ProbeHit> hits_;
};

} // namespace rhumb::fem
