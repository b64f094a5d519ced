#pragma once
/// What the user decides about the mesh, read from the options.

#include <rhumb/core/options.hpp>
#include <rhumb/pde/moving_box/pde.hpp>
#include <limits>

namespace rhumb::moving_box {

/// How much of the mesh a place in the solution attracts:
///   arc:       sqrt(1 + alpha L^2 |grad u|^2), u in units of its scales, averaged over the components;
///   gradient:  1 + alpha |grad u| / (mean of |grad u| over the box), which needs no scales;
///   own:       the PDE's own.
/// It is averaged around each point and smoothed: w + smoothing sum_l (w - w_l) = average, a row of the DAE.
struct Monitor {
  enum class Kind : std::uint8_t { arc, gradient, owned };
  Kind kind = Kind::arc;
  double alpha = 10.0;
  double smoothing = 8.0;
  std::vector<double> scales; ///< of the components
};

struct Settings {
  bool has_mesh = false; ///< of a Gmsh file, else the box
  grid::BoxShape box;
  bool moves = true;
  Diagonal diagonal = Diagonal::falling;
  double tau = 1e-2;
  Monitor monitor;
  Balance balance = Balance::points;
  double stop_above = std::numeric_limits<double>::infinity(); ///< of the first component
  double error_wanted = 0.01;
  double front_level = 0.5;
  std::vector<double> front_times;
};

/// Throws core::BadInput.
Settings read_settings(const core::Options& options, const Description& about, bool has_own_monitor);

} // namespace rhumb::moving_box
