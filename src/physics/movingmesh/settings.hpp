#pragma once
/// What the user decides about the mesh, read from the options.

#include "core/options.hpp"
#include "physics/movingmesh/mesh_equation.hpp"

namespace rhumb::movingmesh {

struct Settings {
  MeshRule rule;
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
