#include <rhumb/physics/flow/flow.hpp>
#include <rhumb/physics/flow/profiles.hpp>
#include <fmt/format.h>

namespace rhumb::flow {

namespace {
/// The force of -bulk_velocity at a state.
double drive(Equations& equations, double t, Vec y, Vec ydot) {
  const core::VecHandle residual = core::same_layout(y);
  equations.residual(t, y, ydot, residual);
  return equations.drive();
}
} // namespace

dae::Figures Flow::report(double t, Vec y, Vec ydot) {
  const Measures now = measure(equations_, t, y);
  dae::Figures figures{{"kinetic_energy", now.kinetic_energy},
                       {"dissipation", now.dissipation},
                       {"enstrophy", now.enstrophy},
                       {"speed_max", now.speed_max},
                       {"divergence", now.divergence_max},
                       {"divergence_l2", now.divergence_l2},
                       {"divergence_max_over_steps", largest_divergence_},
                       {"start_change", start_change_}};
  const auto names = field_names(grid_.dimension(), grid_.has_scalar());
  const auto errors = [&](const std::vector<std::optional<Expression>>& solution, const char* prefix) {
    for (std::size_t f = 0; f < names.size(); ++f) {
      if (!solution[f]) continue;
      const FieldError error = field_error(grid_, static_cast<int>(f), *solution[f], t, y, case_.closed());
      figures.emplace_back(fmt::format("{}_l2_{}", prefix, names[f]), error.l2);
      figures.emplace_back(fmt::format("{}_max_{}", prefix, names[f]), error.largest);
    }
  };
  errors(case_.exact, "error");
  errors(case_.semidiscrete, "error_in_time");
  if (grid_.has_scalar() && case_.side(0, 0).scalar_type == Side::Scalar::value)
    figures.emplace_back("nusselt", nusselt(equations_, t, y));
  for (const auto& [name, force] : forces(equations_, case_, t, y))
    figures.emplace_back("force_" + name, std::vector<double>(force.begin(), force.begin() + grid_.dimension()));
  if (case_.bulk_velocity) figures.emplace_back("drive", drive(equations_, t, y, ydot));
  if (averages_) figures.emplace_back("averaged_time", averages_->time());
  if (!case_.probes.empty()) figures.emplace_back("probes", probe_values(equations_, t, y, case_.probes));
  if (case_.problem == "cavity")
    for (const auto& [name, value] : centreline_extrema(equations_, y)) figures.emplace_back(name, value);
  if (grid_.dimension() == 2 && case_.problem == "cavity")
    figures.emplace_back("psi_min", stream_function_minimum(grid_, y));
  return figures;
}

bool Flow::figure_gradient(const std::string& figure, double /*t*/, Vec y, Vec by_y) {
  if (figure != "kinetic_energy") return false;
  energy_gradient(equations_, y, by_y);
  return true;
}

std::vector<std::pair<std::string, double>> Flow::series(double t, Vec y, Vec ydot) {
  const Measures now = measure(equations_, t, y);
  std::vector<std::pair<std::string, double>> values{{"kinetic_energy", now.kinetic_energy},
                                                     {"dissipation", now.dissipation},
                                                     {"enstrophy", now.enstrophy},
                                                     {"divergence", now.divergence_max}};
  for (const auto& [name, force] : forces(equations_, case_, t, y))
    for (int d = 0; d < grid_.dimension(); ++d)
      values.emplace_back(fmt::format("force_{}_{}", name, "xyz"[d]), force[d]);
  if (case_.bulk_velocity) values.emplace_back("drive", drive(equations_, t, y, ydot));
  const auto probes = probe_values(equations_, t, y, case_.probes);
  const auto per_probe = static_cast<std::size_t>(grid_.field_count());
  const auto names = field_names(grid_.dimension(), grid_.has_scalar());
  for (std::size_t i = 0; i < probes.size(); ++i)
    values.emplace_back(fmt::format("probe_{}_{}", i / per_probe + 1, names[i % per_probe]), probes[i]);
  if (grid_.has_scalar() && case_.side(0, 0).scalar_type == Side::Scalar::value)
    values.emplace_back("nusselt", nusselt(equations_, t, y));
  return values;
}

} // namespace rhumb::flow
