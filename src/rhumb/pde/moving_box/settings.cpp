#include <rhumb/pde/moving_box/settings.hpp>

#include <rhumb/core/failure.hpp>
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
  monitor.smoothing =
      options.real("monitor_smoothing", 8.0, {"smoothing of the monitor, 0: none"}, Range::at_least(0.0));
  monitor.scales = options.reals("monitor_scales", std::vector<double>(about.fields.size(), 1.0),
                                 {"sizes of the components in the monitor"}, Range::positive());
  if (monitor.scales.size() != about.fields.size())
    throw core::BadInput(fmt::format("option -monitor_scales: {} numbers for {} components", monitor.scales.size(),
                                     about.fields.size()));
  return monitor;
}
} // namespace

Settings read_settings(const core::Options& options, const Description& about, bool has_own_monitor) {
  Settings settings;
  settings.box = grid::read_box(options, about.box);
  if (settings.box.dimension() != about.box.dimension())
    throw core::BadInput(fmt::format("option -n: {} numbers of cells for {} directions", settings.box.dimension(),
                                     about.box.dimension()));
  settings.moves = options.choice("mesh_equation", "diffusion", {"diffusion", "fixed"},
                                  {"how the mesh moves: by variable diffusion, or not"}) == "diffusion";
  settings.diagonal = read_diagonal(options, about.diagonal);
  settings.front_level = options.real("front_level", about.front_level, {"value of the first component at the front"});
  settings.front_times =
      options.reals("front_times", about.front_times, {"times at which the front's position is reported", "time"});
  if (!settings.moves) return settings;
  settings.tau =
      options.real("tau", about.tau, {"time in which the mesh follows the solution", "time"}, Range::positive());
  settings.monitor = read_monitor(options, about, has_own_monitor);
  return settings;
}

} // namespace rhumb::moving_box
