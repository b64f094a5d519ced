#pragma once
/// What the user decides about the mesh, read from the options.

#include "core/options.hpp"
#include "physics/movingmesh/mesh_equation.hpp"

namespace rhumb::movingmesh {

/// When the nodes are laid out anew, and how many there may then be. A cell's share is its part of the integral of the
/// smoothed monitor.
struct Regridding {
  double ratio = 0.0;  ///< a cell whose share is so many times the mean asks for it; 0: never
  double share = 0.0;  ///< share that a cell should have: nodes come and go; 0: their number stays
  PetscInt fewest = 0; ///< cells
  PetscInt most = 0;
  bool active() const { return ratio > 0.0; }
};

struct Settings {
  MeshRule rule;
  Regridding regridding;
  double front_level = 0.5;
  int front_component = 0;
  std::vector<double> front_times; ///< the output times, or the PDE's own
};

/// What the PDE offers beside the form: tells which choices exist.
struct Extras {
  bool own_monitor = false;
};

/// Reads -n, -mesh_equation and all that belongs to them. Throws core::BadInput.
Settings read_settings(core::Options& options, const Description& about, const Extras& extras);

} // namespace rhumb::movingmesh
