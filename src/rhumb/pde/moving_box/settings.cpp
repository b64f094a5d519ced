#include <rhumb/pde/moving_box/settings.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/grid/unstructured.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::moving_box {

using core::Range;

namespace {
constexpr std::array diagonals{"rising", "falling", "alternating"};

Diagonal read_diagonal(const core::Options& options, Diagonal default_value) {
  const std::vector<std::string> names(diagonals.begin(), diagonals.end());
  const auto chosen = options.choice("diagonal", names[static_cast<std::size_t>(default_value)], names,
                                     {"how cells are cut into simplices: along a front is best"});
  return static_cast<Diagonal>(std::ranges::find(names, chosen) - names.begin());
}

Monitor read_monitor(const core::Options& options, const Description& about, bool has_own_monitor) {
  Monitor monitor;
  std::vector<std::string> names{"arc", "gradient"};
  if (has_own_monitor) names.emplace_back("own");
  const auto kind = options.choice("monitor", about.monitor, names, {"what attracts the mesh"});
  monitor.kind = static_cast<Monitor::Kind>(std::ranges::find(names, kind) - names.begin());
  monitor.alpha = options.real("monitor_alpha", about.monitor_alpha, {"weight of the solution in the monitor"},
                               Range::at_least(0.0));
  monitor.smoothing = options.real("monitor_smoothing", about.monitor_smoothing, {"smoothing of the monitor, 0: none"},
                                   Range::at_least(0.0));
  return monitor;
}

std::vector<double> read_scales(const core::Options& options, const Description& about) {
  const auto scales = options.reals("monitor_scales", std::vector<double>(about.fields.size(), 1.0),
                                    {"sizes of the components in the monitor and in errors"}, Range::positive());
  if (scales.size() != about.fields.size())
    throw core::BadInput(
        fmt::format("option -monitor_scales: {} numbers for {} components", scales.size(), about.fields.size()));
  return scales;
}

grid::BoxShape read_box(const core::Options& options, const Description& about) {
  auto box = grid::read_box(options, about.box);
  if (box.dimension() != about.box.dimension())
    throw core::BadInput(
        fmt::format("option -n: {} numbers of cells for {} directions", box.dimension(), about.box.dimension()));
  return box;
}

void refuse_with_mesh(const core::Options& options, int dimension) {
  if (dimension != 2) throw core::BadInput("option -mesh: points move on meshes of triangles only, -dim 2");
  for (const char* name : {"n", "lower", "upper", "diagonal"})
    if (options.given(name)) throw core::BadInput(fmt::format("option -{} does not go with -mesh", name));
}
} // namespace

Settings read_settings(const core::Options& options, const Description& about, bool has_own_monitor) {
  Settings settings;
  settings.has_mesh = !options.string("mesh", "", grid::about_mesh()).empty();
  if (settings.has_mesh)
    refuse_with_mesh(options, about.box.dimension());
  else
    settings.box = read_box(options, about);
  settings.moves = options.choice("mesh_equation", "diffusion", {"diffusion", "fixed"},
                                  {"how the mesh moves: by variable diffusion, or not"}) == "diffusion";
  if (!settings.has_mesh) settings.diagonal = read_diagonal(options, about.diagonal);
  const std::vector<std::string> balances{"points", "volumes", "nonnegative"};
  const auto balance = options.choice("balance", balances[static_cast<std::size_t>(about.balance)], balances,
                                      {"what is balanced: u at moving points, the contents of moving volumes "
                                       "(conserved to rounding), or these with u >= 0"});
  settings.balance = static_cast<Balance>(std::ranges::find(balances, balance) - balances.begin());
  settings.stop_above =
      options.real("stop_above", about.stop_above, {"ends the run where the first component is above"});
  settings.error_wanted =
      options.real("error_wanted", settings.error_wanted,
                   {"error above which there is advice, in units of -monitor_scales"}, Range::positive());
  settings.front_level = options.real("front_level", about.front_level, {"value of the first component at the front"});
  settings.front_times =
      options.reals("front_times", about.front_times, {"times at which the front's position is reported", "time"});
  if (settings.moves) settings.monitor = read_monitor(options, about, has_own_monitor);
  settings.monitor.scales = read_scales(options, about);
  if (!settings.moves) return settings;
  settings.tau =
      options.real("tau", about.tau, {"time in which the mesh follows the solution", "time"}, Range::positive());
  return settings;
}

} // namespace rhumb::moving_box
