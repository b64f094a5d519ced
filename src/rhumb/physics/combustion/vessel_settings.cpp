#include <rhumb/physics/combustion/vessel_settings.hpp>

#include <rhumb/core/failure.hpp>
#include <fmt/format.h>

namespace rhumb::combustion {

namespace {
using core::Range;

IgnitionSource read_source(const core::Options& options, const VesselDefaults& defaults) {
  IgnitionSource source;
  source.energy = options.real("energy", defaults.energy,
                               {"energy of the source: J; cylinder J/m; planar J/m^2 on one side of the middle"},
                               Range::at_least(0.0));
  source.sigma = options.real("source_radius", defaults.sigma, {"sigma of the source's bell exp(-r^2/sigma^2)", "m"},
                              Range::positive());
  source.duration =
      options.real("source_duration", defaults.duration, {"how long the source lasts", "s"}, Range::positive());
  return source;
}

Adaptation read_adaptation(const core::Options& options, const VesselDefaults& defaults) {
  Adaptation out;
  out.ratio =
      options.real("regrid_ratio", defaults.regrid_ratio,
                   {"lay the nodes out anew when a cell has so many times its share; 0: never"}, Range::at_least(0.0));
  if (out.ratio > 0.0 && out.ratio <= 1.0)
    throw core::BadInput(fmt::format("option -regrid_ratio {:g}: must be 0 or above 1", out.ratio));
  out.floor = options.real("monitor_floor", 1.0, {"weight of the radius in the monitor, beside the profiles"},
                           Range::positive());
  out.smooth = options.real("kappa", 4.0, {"cells of a new mesh differ from their neighbours by at most 1 + 1/kappa"},
                            Range::positive());
  return out;
}
/// Those that are given; else the output times; else the end.
std::vector<double> read_figure_times(const core::Options& options, const VesselDefaults& defaults) {
  const auto given =
      options.reals("figure_times", {}, {"times at which results are listed; none: the output times", "s"});
  if (!given.empty()) return given;
  const auto listed = options.reals("out_times", {}, {"times of the snapshots, between commas", "time"});
  if (!listed.empty()) return listed;
  const double end = options.real("t_end", defaults.t_end, {"where the run ends", "time"});
  const double dt = options.real("out_dt", 0.0, {"time between snapshots; 0: the first and the last only", "time"},
                                 Range::at_least(0.0));
  if (!(dt > 0.0)) return {end};
  std::vector<double> times;
  for (long k = 0; static_cast<double>(k) * dt < end * (1.0 + 1e-12); ++k) times.push_back(static_cast<double>(k) * dt);
  return times;
}

/// Tenths of the radius, unless others are asked for.
std::vector<double> read_figure_radii(const core::Options& options, double radius) {
  std::vector<double> tenths;
  for (int i = 0; i < 10; ++i) tenths.push_back(0.1 * i * radius);
  return options.reals("figure_radii", tenths, {"radii at which T is listed", "m"}, Range::between(0.0, radius));
}
} // namespace

VesselSettings read_vessel_settings(const core::Options& options, const VesselDefaults& defaults) {
  VesselSettings out;
  const auto shape =
      options.choice("geometry", defaults.geometry, {"planar", "cylinder", "sphere"}, {"the vessel's shape"});
  out.shell = shape == "planar" ? Shell::planar : shape == "cylinder" ? Shell::cylinder : Shell::sphere;
  out.cells =
      static_cast<PetscInt>(options.integer("n", static_cast<long>(defaults.cells), {"cells"}, Range::between(8, 1e6)));
  out.radius =
      options.real("radius", defaults.radius, {"radius of the vessel, or half its width", "m"}, Range::positive());
  out.T0 = options.real("T0", 300.0, {"temperature at the start", "K"}, Range::positive());
  out.wall_T = options.real("wall_T", out.T0, {"temperature of the wall", "K"}, Range::positive());
  out.p0 = options.real("p0", 101325.0, {"pressure at the start", "Pa"}, Range::positive());
  out.source = read_source(options, defaults);
  out.adaptation = read_adaptation(options, defaults);
  out.flame_level =
      options.real("flame_level", defaults.flame_level, {"the flame is where T passes this", "K"}, Range::positive());
  out.burnt_radius = options.real("burnt_radius", 0.5, {"a flame that gets so far has ignited the gas", "radii"},
                                  Range::between(0.0, 1.0));
  out.fate = options.flag("stop_at_fate", false, {"stop when the gas has ignited, or the kernel has died"})
                 ? Fate::stop
                 : Fate::ignore;
  out.matrix =
      options.choice("matrix", "exact", {"exact", "differences"},
                     {"iteration matrix: by dual numbers, or by coloured differences of the residual"}) == "exact"
          ? Matrix::exact
          : Matrix::differences;
  out.figure_times = read_figure_times(options, defaults);
  out.figure_radii = read_figure_radii(options, out.radius);
  return out;
}

} // namespace rhumb::combustion
