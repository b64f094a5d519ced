#pragma once
/// What the user decides about the mesh, read from the options.

#include <rhumb/core/options.hpp>
#include <rhumb/pde/moving/mesh_equation.hpp>

namespace rhumb::moving {

/// When the mesh is made anew, and how many cells it may then have. Either all nodes are laid out by equidistribution
/// (a cell's share is its part of the integral of the smoothed monitor), or nodes are inserted and deleted one by one
/// (physics/moving/regridding.hpp).
struct Regridding {
  double ratio = 0.0;  ///< a cell that has so many times its share, or the wanted error, asks for it; 0: never
  double share = 0.0;  ///< share that a cell should have: the number follows; 0: it stays
  double error = 0.0;  ///< > 0: insertion and deletion; what a cell's error should be
  PetscInt fewest = 0; ///< cells
  PetscInt most = 0;
  bool active() const { return ratio > 0.0; }
  bool local() const { return active() && error > 0.0; }
};

struct MeshSettings {
  MeshRule rule;
  Regridding regridding;
  double front_level = 0.5;
  int front_component = 0;
  std::vector<double> front_times; ///< the output times, or the PDE's own
  double error_wanted = 0.01;      ///< physics/moving/error_watch.hpp
};

/// What the PDE offers beside the form: tells which choices exist.
struct Extras {
  bool user_monitor = false;
  std::vector<double> sizes = {}; ///< of the components, from their initial values
};

/// Reads -n, -mesh_equation and all that belongs to them. Throws core::BadInput.
MeshSettings read_settings(const core::Options& options, const Description& about, const Extras& extras);

} // namespace rhumb::moving
