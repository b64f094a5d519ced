#include <rhumb/pde/moving/settings.hpp>

#include <rhumb/core/failure.hpp>
#include <fmt/format.h>

namespace rhumb::moving {

namespace {
using core::Range;

constexpr long fewest_cells = 5, most_cells = 10'000'000;
constexpr int most_smoothing = 4; // the widest window that the system is compiled for

Equation equation_of(const std::string& name) {
  if (name == "fixed") return Equation::fixed;
  if (name == "rate") return Equation::rate;
  if (name == "mmpde4") return Equation::mmpde4;
  if (name == "mmpde5") return Equation::mmpde5;
  if (name == "mmpde6") return Equation::mmpde6;
  return Equation::dorfi;
}

/// mmpde5 measures its tau in another unit: x' instead of x'_xixi.
constexpr double mmpde5_factor = 100.0;

Monitor read_monitor(const core::Options& options, const Description& about, const Extras& extras) {
  Monitor monitor;
  std::vector<std::string> kinds{"arc", "curvature"};
  if (extras.user_monitor) kinds.emplace_back("own");
  const auto kind = options.choice("monitor", about.monitor, kinds, {"what the mesh follows"});
  monitor.kind = kind == "arc"         ? Monitor::Kind::arc
                 : kind == "curvature" ? Monitor::Kind::curvature
                                       : Monitor::Kind::user;
  const auto floor = options.choice("monitor_floor", "constant", {"constant", "mean"},
                                    {"floor of the monitor: -monitor_alpha, or the monitor's mean over the domain"});
  monitor.floor = floor == "mean" ? Monitor::Floor::mean : Monitor::Floor::constant;
  monitor.alpha = options.real("monitor_alpha", monitor.floor == Monitor::Floor::mean ? 1e-6 : about.monitor_alpha,
                               {"what is added to squared slopes or curvatures in the monitor"}, Range::positive());
  const auto n = about.fields.size();
  monitor.scales = options.reals("monitor_scales", about.sizes.empty() ? extras.sizes : about.sizes,
                                 {"size of each component in the monitor and the weights of rate"}, Range::positive());
  monitor.length = about.upper - about.lower;
  if (monitor.scales.size() != n)
    throw core::BadInput(fmt::format("option -monitor_scales: {} numbers are wanted, one per component, not {}", n,
                                     monitor.scales.size()));
  monitor.smoothing = static_cast<int>(options.integer(
      "monitor_smoothing", most_smoothing, {"cells on each side over which the monitor is smoothed (mmpde)"},
      Range::between(0, most_smoothing)));
  monitor.gamma = options.real("monitor_gamma", 2.0, {"strength of that smoothing"}, Range::positive());
  return monitor;
}

/// What the PDE's rows balance, and whether the mesh equation goes with it.
void read_balance(const core::Options& options, MeshRule& rule) {
  const auto name = options.choice("balance", "points", {"points", "volumes", "nonnegative"},
                                   {"what is balanced: u at moving points, the contents of moving volumes (conserved "
                                    "to rounding), or these with no u below zero"});
  rule.balance = name == "points" ? Balance::points : name == "volumes" ? Balance::volumes : Balance::nonnegative;
  if (rule.balance == Balance::points) return;
  const char* reason = rule.equation == Equation::fixed             ? "a fixed mesh has no moving volumes"
                       : rule.equation == Equation::rate            ? "the rate mesh needs u at points"
                       : rule.monitor.floor == Monitor::Floor::mean ? "-monitor_floor mean is for points"
                                                                    : nullptr;
  if (reason) throw core::BadInput(fmt::format("option -balance {}: {}", name, reason));
}

void read_equation(const core::Options& options, const Description& about, const Extras& extras, MeshRule& rule) {
  const auto name = options.choice("mesh_equation", "mmpde6", {"fixed", "rate", "mmpde4", "mmpde5", "mmpde6", "dorfi"},
                                   {"how the mesh moves"});
  rule.equation = equation_of(name);
  rule.monitor = read_monitor(options, about, extras);
  rule.tau = options.real("tau", about.tau * (rule.equation == Equation::mmpde5 ? mmpde5_factor : 1.0),
                          {"time in which the mesh follows the solution; far below the solution's own", "time"},
                          Range::positive());
  rule.kappa = options.real("kappa", 2.0, {"dorfi: cells differ from their neighbours by at most 1 + 1/kappa"},
                            Range::positive());
  rule.rate_case = static_cast<int>(
      options.integer("rate_case", 1, {"rate: formulation, BCP (6.5.7) to (6.5.9)"}, Range::between(1, 3)));
  rule.alpha = options.real("rate_alpha", 1.0, {"rate: weight of the nodes' speed"}, Range::positive()) /
               (rule.length * rule.length);
  rule.lambda = options.real("rate_lambda", 0.2, {"rate: weight of the penalty that keeps nodes apart; 0: none"},
                             Range::at_least(0.0));
  read_balance(options, rule);
  const bool volumes = rule.balance != Balance::points;
  const bool lumped = volumes || (rule.equation == Equation::rate && rule.rate_case > 1);
  rule.theta = options.real("theta", lumped ? 0.0 : about.theta,
                            {"share of the neighbours in c u_t - s; 0: lumped, 1/6: order four on uniform meshes"},
                            Range::between(0.0, 0.5));
  if (lumped && rule.theta > 0.0)
    throw core::BadInput(
        fmt::format("option -theta: {} need 0", volumes ? "balances of volumes" : "Cases 2 and 3 of the rate mesh"));
}

/// What a mesh that is never made anew, or that keeps its number of cells, would leave unused.
void reject_unused(const Regridding& regridding, const MeshRule& rule, const core::Options& options) {
  const bool varies = regridding.share > 0.0 || regridding.error > 0.0;
  if (rule.equation == Equation::fixed && regridding.active())
    throw core::BadInput("option -regrid_ratio: a fixed mesh has no regridding");
  for (const auto& [name, value] : {std::pair{"regrid_share", regridding.share}, {"regrid_error", regridding.error}})
    if (value > 0.0 && !regridding.active())
      throw core::BadInput(fmt::format("option -{}: without -regrid_ratio{} there is no regridding", name,
                                       rule.equation == Equation::fixed ? ", which a fixed mesh cannot have," : ""));
  for (const char* name : {"n_max", "n_min"})
    if (options.given(name) && !varies)
      throw core::BadInput(fmt::format("option -{}: the number of cells is -n; only -regrid_share and -regrid_error "
                                       "change it",
                                       name));
}

Regridding read_regridding(const core::Options& options, const MeshRule& rule) {
  const bool rate = rule.equation == Equation::rate;
  Regridding out;
  out.ratio = options.real("regrid_ratio", rate ? 3.0 : 0.0,
                           {"make the mesh anew when a cell has so many times its share (or -regrid_error); 0: never"},
                           Range::at_least(0.0));
  if (out.ratio > 0.0 && out.ratio <= 1.0)
    throw core::BadInput(fmt::format("option -regrid_ratio {:g}: must be 0 or above 1", out.ratio));
  out.share = options.real("regrid_share", 0.0,
                           {"share of the monitor's integral per cell: sets the number of cells; 0: it stays"},
                           Range::at_least(0.0));
  out.error =
      options.real("regrid_error", 0.0,
                   {"rate: insert and delete nodes so that cells have this error, h^2 |u_xx|/8; 0: lay all out"},
                   Range::at_least(0.0));
  if (out.error > 0.0 && !rate) throw core::BadInput("option -regrid_error: is for -mesh_equation rate alone");
  if (out.error > 0.0 && out.share > 0.0)
    throw core::BadInput("options -regrid_error and -regrid_share exclude each other");
  const bool varies = out.share > 0.0 || out.error > 0.0;
  const auto cells = static_cast<double>(rule.cells);
  out.most =
      static_cast<PetscInt>(options.integer("n_max", varies ? 2 * rule.cells : rule.cells,
                                            {"most cells after a regridding"}, Range::between(cells, most_cells)));
  out.fewest = static_cast<PetscInt>(
      options.integer("n_min", varies ? std::max<PetscInt>(rule.cells / 2, fewest_cells) : rule.cells,
                      {"fewest cells after a regridding"}, Range::between(fewest_cells, cells)));
  reject_unused(out, rule, options);
  return out;
}

std::vector<double> read_front_times(const core::Options& options, const Description& about) {
  const auto listed = options.reals("out_times", {}, {"times of the snapshots, between commas", "time"});
  if (!listed.empty()) return listed;
  const double dt = options.real("out_dt", 0.0, {"time between snapshots; 0: the first and the last only", "time"},
                                 Range::at_least(0.0));
  if (!(dt > 0.0)) return about.front_times;
  const double end = options.real("t_end", about.t_end, {"where the run ends", "time"});
  std::vector<double> times;
  for (long k = 1; static_cast<double>(k) * dt < end * (1.0 + 1e-12); ++k) times.push_back(static_cast<double>(k) * dt);
  return times;
}
} // namespace

MeshSettings read_settings(const core::Options& options, const Description& about, const Extras& extras) {
  MeshSettings settings;
  settings.rule.cells =
      static_cast<PetscInt>(options.integer("n", about.cells, {"cells"}, Range::between(fewest_cells, most_cells)));
  settings.rule.length = about.upper - about.lower;
  settings.rule.symmetry = about.symmetry;
  settings.rule.whole_volume = volume(about.lower, about.upper, about.symmetry);
  read_equation(options, about, extras, settings.rule);
  settings.regridding = read_regridding(options, settings.rule);
  settings.front_level = options.real("front_level", about.front_level, {"value at the front"});
  settings.front_component = static_cast<int>(
      options.integer("front_component", about.front_component, {"component that has the front, from 0"},
                      Range::between(0, static_cast<double>(about.fields.size()) - 1)));
  settings.front_times = read_front_times(options, about);
  settings.error_wanted = options.real(
      "error_wanted", 0.01, {"error of u, in units of -monitor_scales, against which the summary measures the run"},
      Range::positive());
  return settings;
}

} // namespace rhumb::moving
