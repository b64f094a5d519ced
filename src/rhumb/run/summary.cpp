#include <rhumb/run/summary.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <petscsys.h>
#include <sstream>
#include <sys/resource.h>

namespace rhumb::run {

namespace {
/// Systems up to this size have their last state in run.json.
constexpr PetscInt few_unknowns = 20;

Json options_json(const Summary& summary) {
  Json out;
  for (const auto& option : summary.options) {
    const auto number = core::parse_real(option.value);
    if (option.shape == core::OptionType::real && number && std::isfinite(*number))
      out.add(option.name, *number);
    else if (option.shape == core::OptionType::flag)
      out.add_flag(option.name, option.value == "true");
    else
      out.add(option.name, option.value);
  }
  for (const auto& [name, value] : summary.petsc_options) out.add(name, value);
  return out;
}

Json results_json(const dae::Figures& figures) {
  Json out;
  for (const auto& [name, figure] : figures) {
    if (const auto* number = std::get_if<double>(&figure)) out.add(name, *number);
    if (const auto* list = std::get_if<std::vector<double>>(&figure)) out.add(name, std::span<const double>(*list));
    if (const auto* string_value = std::get_if<std::string>(&figure)) out.add(name, *string_value);
  }
  return out;
}

Json errors_json(const std::vector<ErrorBar>& bars) {
  Json out;
  const auto value = [](const std::optional<double>& error) { return error.value_or(std::nan("")); };
  for (const auto& bar : bars) {
    Json one;
    one.add("time", value(bar.time)).add("space", value(bar.space)).add("total", value(bar.total()));
    out.add(bar.figure, one);
  }
  return out;
}

/// By figure, then by parameter.
Json sensitivities_json(const Summary& summary) {
  Json out;
  for (const auto& [name, figure] : summary.results) {
    Json by_parameter;
    for (const auto& one : summary.sensitivities) {
      const auto found = std::ranges::find(one.figures, name, &dae::Figures::value_type::first);
      if (found == one.figures.end()) continue;
      if (const auto* number = std::get_if<double>(&found->second)) by_parameter.add(one.parameter, *number);
      if (const auto* list = std::get_if<std::vector<double>>(&found->second))
        by_parameter.add(one.parameter, std::span<const double>(*list));
    }
    if (!by_parameter.empty()) out.add(name, by_parameter);
  }
  return out;
}

void add_sensitivities(Json& out, const Summary& summary) {
  if (summary.sensitivities.empty()) return;
  const bdf::Statistics& s = summary.statistics;
  out.add("sensitivities", sensitivities_json(summary));
  Json values, descriptions;
  for (const auto& one : summary.sensitivities) {
    values.add(one.parameter, one.value);
    descriptions.add(one.parameter, one.description);
  }
  out.add("sensitivity_parameters", values).add("sensitivity_descriptions", descriptions);
  out.add("sensitivity_residuals", s.sensitivity_residuals).add("sensitivity_evals", s.sensitivity_evals);
  out.add("sensitivity_matrices", s.sensitivity_matrices).add("sensitivity_iterations", s.sensitivity_iterations);
  out.add("sensitivity_linear_iterations", s.sensitivity_krylov);
  const std::string remarks = remark_on_sensitivities(summary);
  if (!remarks.empty()) out.add("sensitivity_remark", remarks);
}

void add_gradients(Json& out, const Summary& summary) {
  if (summary.gradients.empty()) return;
  Json gradients, sweep;
  for (const auto& [figure, derivatives] : summary.gradients) {
    Json by;
    for (const auto& [name, value] : derivatives) by.add(name, value);
    gradients.add(figure, by);
  }
  const bdf::AdjointCounts& a = summary.adjoint;
  sweep.add("steps", a.steps).add("replayed_steps", a.replayed).add("matrices", a.matrices);
  sweep.add("factorizations", a.factorizations).add("linear_iterations", a.iterations);
  sweep.add("wall_seconds", summary.adjoint_seconds);
  out.add("gradients", gradients).add("adjoint", sweep);
}

void add_fit(Json& out, const FitResult& fit) {
  if (!fit.any()) return;
  Json found, parameters, covariance;
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const auto& p = fit.parameters[i];
    Json one;
    one.add("value", p.value).add("standard_error", p.error).add_flag("at_bound", p.at_bound);
    parameters.add(p.name, one);
    covariance.add(p.name, std::span<const double>(fit.covariance[i]));
  }
  found.add("parameters", parameters).add("covariance", covariance).add("chi_squared", fit.chi_squared);
  found.add("measurements", fit.measurements).add("iterations", fit.iterations).add("runs", fit.runs);
  found.add_flag("converged", fit.converged).add("remarks", std::span<const std::string>(fit.remarks));
  out.add("fit", found);
}

Json state_json(const Summary& summary) {
  Json out;
  for (const auto& [name, values] : summary.state) {
    if (values.size() == 1)
      out.add(name, values.front());
    else
      out.add(name, std::span<const double>(values));
  }
  return out;
}

void add_statistics(Json& out, const bdf::Statistics& s) {
  out.add("steps", s.steps).add("residual_evals", s.residual_evals);
  out.add("residual_evals_krylov", s.residual_evals_krylov).add("residual_evals_jacobian", s.residual_evals_jacobian);
  out.add("jacobian_evals", s.jacobian_evals).add("pc_setups", s.pc_setups);
  out.add("newton_iterations", s.newton_iterations).add("linear_iterations", s.linear_iterations);
  out.add("filter_solves", s.filter_solves).add("filter_iterations", s.filter_iterations);
  out.add("start_iterations", s.start_iterations);
  out.add("error_test_failures", s.error_test_failures).add("convergence_failures", s.convergence_failures);
  out.add("constraint_failures", s.constraint_failures).add("restarts", s.restarts).add("reductions", s.reductions);
  out.add("kind_check_residuals", s.kind_check_residuals).add("kind_check_matrices", s.kind_check_matrices);
  out.add("order_histogram", std::span<const long>(s.order_histogram)).add("h_min", s.h_min).add("h_max", s.h_max);
}

Json phases_json(const Summary& summary) {
  Json out;
  for (const auto& [name, seconds] : phases_of(summary)) out.add(name, seconds);
  return out;
}
} // namespace

std::optional<double> ErrorBar::total() const {
  if (!time && !space) return std::nullopt;
  return time.value_or(0.0) + space.value_or(0.0);
}

std::string remark_on_sensitivities(const Summary& summary) {
  std::string names;
  for (const auto& one : summary.sensitivities)
    if (one.independent) names += (names.empty() ? "" : ", ") + one.parameter;
  return names.empty() ? "" : "nothing in this run depends on " + names;
}

MemoryUse peak_memory(MPI_Comm comm) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double local = static_cast<double>(usage.ru_maxrss) / 1024.0; // Linux counts in KiB
  MemoryUse memory;
  core::check_mpi(MPI_Allreduce(&local, &memory.largest_mib, 1, MPI_DOUBLE, MPI_MAX, comm));
  core::check_mpi(MPI_Allreduce(&local, &memory.sum_mib, 1, MPI_DOUBLE, MPI_SUM, comm));
  return memory;
}

std::vector<std::pair<std::string, std::vector<double>>> small_state(const dae::Problem& problem, Vec y) {
  PetscInt unknowns = 0;
  core::check(VecGetSize(y, &unknowns));
  std::vector<std::pair<std::string, std::vector<double>>> state;
  if (unknowns > few_unknowns) return state;
  MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(y));
  const core::Readable values(y);
  PetscInt first = 0;
  core::check(VecGetOwnershipRange(y, &first, nullptr));
  // Every entry has one rank that knows it; the others add zero.
  const auto count = static_cast<std::size_t>(unknowns);
  std::vector<double> all(count, 0.0);
  std::vector<int> field(count, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    all[static_cast<std::size_t>(first) + i] = values[i];
    field[static_cast<std::size_t>(first) + i] = problem.field_of(static_cast<PetscInt>(i));
  }
  const auto n = static_cast<int>(count);
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, all.data(), n, MPI_DOUBLE, MPI_SUM, comm));
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, field.data(), n, MPI_INT, MPI_SUM, comm));
  for (const auto& known : problem.fields()) state.emplace_back(known.name, std::vector<double>{});
  for (std::size_t i = 0; i < count; ++i) state.at(static_cast<std::size_t>(field[i])).second.push_back(all[i]);
  return state;
}

std::vector<std::pair<std::string, double>> phases_of(const Summary& summary) {
  const bdf::Phases& p = summary.phases;
  // What GMRES does beside products and the preconditioner is to make its basis orthogonal.
  const double orthogonalization = std::max(0.0, p.linear_solve - p.pc_apply - p.products);
  std::vector<std::pair<std::string, double>> phases{{"start", summary.start_seconds},
                                                     {"residual", p.residual},
                                                     {"jacobian", p.jacobian},
                                                     {"pc_setup", p.pc_setup},
                                                     {"pc_apply", p.pc_apply},
                                                     {"matrix_products", p.products},
                                                     {"orthogonalization", orthogonalization},
                                                     {"error_test", p.error_test},
                                                     {"sensitivities", p.sensitivities},
                                                     {"adjoint", summary.adjoint_seconds},
                                                     {"output", summary.output_seconds}};
  double other = summary.wall_seconds;
  for (const auto& phase : phases) other -= phase.second;
  phases.emplace_back("other", std::max(0.0, other));
  return phases;
}

std::string summary_json(const Summary& summary) {
  Json out;
  out.add("app", summary.app).add("version", summary.version).add("problem", summary.problem);
  out.add("ranks", summary.ranks).add("unknowns", static_cast<long>(summary.unknowns));
  out.add("reason", summary.ending.reason).add("exit_code", static_cast<int>(summary.ending.code));
  out.add("message", summary.ending.message);
  out.add("t_start", summary.t_start).add("t_end", summary.t_end).add("t", summary.t);
  out.add("error_test", summary.error_test);
  out.add("uncontrolled_fields", std::span<const std::string>(summary.uncontrolled_fields));
  add_statistics(out, summary.statistics);
  out.add("wall_seconds", summary.wall_seconds).add("phases", phases_json(summary));
  out.add("peak_rss_mib", summary.memory.largest_mib).add("peak_rss_sum_mib", summary.memory.sum_mib);
  if (!summary.restarted_from.empty()) out.add("restarted_from", summary.restarted_from);
  Json events, times;
  for (const auto& event : summary.events) {
    events.add(event.name, event.count);
    if (event.count > 0) times.add(event.name, std::span<const double>(std::array{event.first, event.last}));
  }
  if (!events.empty()) out.add("events", events);
  if (!times.empty()) out.add("event_times", times); // the first and the last
  out.add("options", options_json(summary)).add("results", results_json(summary.results));
  if (!summary.errors.empty()) out.add("errors", errors_json(summary.errors));
  add_sensitivities(out, summary);
  add_gradients(out, summary);
  add_fit(out, summary.fit);
  if (!summary.state.empty()) out.add("state", state_json(summary));
  return out.text();
}

} // namespace rhumb::run
