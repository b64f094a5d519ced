#pragma once
/// What the user decides about a closed vessel: its shape, the gas at the start, the source, the mesh, what to report.

#include <rhumb/core/options.hpp>
#include <rhumb/physics/combustion/shell.hpp>
#include <petscsys.h>
#include <vector>

namespace rhumb::combustion {

/// q(r, t) = E/(c t_s) e^(-r^2/sigma^2) for 0 < t < t_s, c the integral of the bell over the whole space.
struct IgnitionSource {
  double energy = 0.0;    ///< J; cylinder: J/m; planar: J/m^2 of one side of the middle plane
  double sigma = 1e-3;    ///< m
  double duration = 1e-3; ///< s
};

struct Adaptation {
  double ratio = 0.0;  ///< a cell whose share of the monitor is so many times the mean asks for a new mesh; 0: never
  double floor = 1.0;  ///< weight of the radius in the monitor, beside the profiles
  double smooth = 2.0; ///< neighbouring cells differ by at most 1 + 1/smooth in r
  bool active() const { return ratio > 0.0; }
};

/// When a run may end early.
enum class Fate : std::uint8_t { ignore, stop };

/// Where the iteration matrix comes from.
enum class Matrix : std::uint8_t { exact, differences };

struct VesselSettings {
  Matrix matrix = Matrix::exact;
  Shell shell = Shell::cylinder;
  PetscInt cells = 400;
  double radius = 0.01;  ///< R, m
  double wall_T = 300.0; ///< K
  double T0 = 300.0, p0 = 101325.0;
  IgnitionSource source;
  Adaptation adaptation;
  double flame_level = 1000.0; ///< K: the flame's radius is where T passes it
  double burnt_radius = 0.5;   ///< of R: a flame that gets so far has ignited
  Fate fate = Fate::ignore;
  std::vector<double> figure_times, figure_radii;
};

/// Defaults that differ from case to case.
struct VesselDefaults {
  std::string name = "vessel";
  PetscInt cells = 400;
  std::string geometry = "cylinder";
  double radius = 0.01;
  double energy = 2.0, sigma = 1e-3, duration = 1e-3;
  double t_end = 1.0;
  double regrid_ratio = 0.0;
  double flame_level = 1000.0;
  double rtol = 1e-7;
};

VesselSettings read_vessel_settings(const core::Options& options, const VesselDefaults& defaults);

} // namespace rhumb::combustion
