#include <rhumb/run/progress.hpp>
#include <rhumb/run/summary.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::run {

namespace {
std::string line(const std::string& name, const std::string& value) {
  return fmt::format("  {:<28} {}\n", name, value);
}

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

std::string figure_text(const dae::Figure& figure) {
  constexpr std::size_t most = 6;
  if (const auto* one = std::get_if<double>(&figure)) return number(*one);
  if (const auto* string_value = std::get_if<std::string>(&figure)) return *string_value;
  const auto& list = std::get<std::vector<double>>(figure);
  std::string text;
  for (std::size_t i = 0; i < list.size() && i < most; ++i) text += (i ? ", " : "") + number(list[i]);
  return list.size() > most ? fmt::format("{}, ... ({} values)", text, list.size()) : text;
}

std::string result_text(const Summary& summary, const std::string& name, const dae::Figure& figure) {
  const auto bar = std::ranges::find(summary.errors, name, &ErrorBar::figure);
  const auto* value = std::get_if<double>(&figure);
  if (!value || bar == summary.errors.end() || !bar->total()) return figure_text(figure);
  const auto part = [](const std::optional<double>& error) {
    return error ? fmt::format("{:.1g}", *error) : "unknown";
  };
  return fmt::format("{:<24} (time {}, space {})", with_error(*value, *bar->total()), part(bar->time),
                     part(bar->space));
}

std::string statistics_text(const bdf::Statistics& s) {
  std::string text = line("steps", fmt::format("{} (orders 1 to 5: {})", s.steps,
                                               fmt::join(s.order_histogram.begin() + 1, s.order_histogram.end(), " ")));
  text += line("step sizes", fmt::format("{:.3g} ... {:.3g}", s.h_min, s.h_max));
  text += line("failed tries", fmt::format("{} error test, {} convergence, {} constraint", s.error_test_failures,
                                           s.convergence_failures, s.constraint_failures));
  text += line("residuals", fmt::format("{} ({} for products, {} for matrices)", s.residual_evals,
                                        s.residual_evals_krylov, s.residual_evals_jacobian));
  text += line("Jacobians, preconditioners", fmt::format("{}, {}", s.jacobian_evals, s.pc_setups));
  return text + line("Newton, Krylov iterations", fmt::format("{}, {}", s.newton_iterations, s.linear_iterations));
}

std::string phases_text(const Summary& summary) {
  const double wall = std::max(summary.wall_seconds, 1e-12);
  std::string text = line("wall time", duration_text(summary.wall_seconds));
  for (auto [name, seconds] : phases_of(summary)) {
    std::ranges::replace(name, '_', ' ');
    text += line(fmt::format("  {}", name), fmt::format("{:.3f} s ({:.0f} %)", seconds, 100.0 * seconds / wall));
  }
  return text + line("peak memory", fmt::format("{:.0f} MiB ({:.0f} MiB on all ranks)", summary.memory.largest_mib,
                                                summary.memory.sum_mib));
}

std::string sensitivities_text(const Summary& summary) {
  std::string text;
  for (const auto& one : summary.sensitivities) {
    text += fmt::format("derivatives by {}\n", one.parameter);
    for (const auto& [name, figure] : one.figures) text += line(name, figure_text(figure));
  }
  const std::string remark = remark_on_sensitivities(summary);
  return text + (remark.empty() ? "" : remark + "\n");
}

std::string gradients_text(const Summary& summary) {
  std::string text;
  for (const auto& [figure, derivatives] : summary.gradients) {
    text += fmt::format("gradient of {}\n", figure);
    for (const auto& [name, value] : derivatives) text += line(name, number(value));
  }
  return text;
}

std::string fit_text(const FitResult& fit) {
  if (!fit.any()) return "";
  std::string text = fmt::format("fit to {} measurements, sum of squares {:.6g}\n", fit.measurements, fit.chi_squared);
  for (const auto& p : fit.parameters) text += line(p.name, with_error(p.value, p.error));
  return text;
}

std::string citations(const Summary& summary) {
  std::string text = "\nTo cite: Brenan, Campbell, Petzold, Numerical Solution of Initial-Value Problems in "
                     "Differential-Algebraic\nEquations (SIAM 1996), for the integrator";
  for (const auto& option : summary.options)
    if (option.name == "dae_error_test" && option.value == "strong") text += "; Sieber, for the error test";
  return text + "; Balay and others, PETSc users manual (petsc.org).\n";
}
} // namespace

std::string with_error(double value, double error) {
  if (!(error > 0.0) || !std::isfinite(error) || !std::isfinite(value)) return number(value);
  constexpr int most_digits = 15;
  const int last_digit = static_cast<int>(std::floor(std::log10(error)));
  const double size = std::max(std::abs(value), error);
  const int first_digit = static_cast<int>(std::floor(std::log10(size)));
  const bool is_plain = first_digit >= -4 && first_digit < 6;
  if (is_plain) {
    const int decimals = std::clamp(-last_digit, 0, most_digits - std::max(first_digit, 0));
    return fmt::format("{:.{}f} +- {:.1g}", value, decimals, error);
  }
  return fmt::format("{:.{}e} +- {:.0e}", value, std::clamp(first_digit - last_digit, 0, most_digits), error);
}

std::string summary_table(const Summary& summary) {
  std::string text = fmt::format("\n{}: {} at t = {:.6g}, {}\n", summary.app, summary.problem, summary.t,
                                 summary.ending.reason == "done" ? "done" : "stopped: " + summary.ending.reason);
  if (!summary.uncontrolled_fields.empty())
    text += line("not in the error test", fmt::format("{}", fmt::join(summary.uncontrolled_fields, ", ")));
  text += statistics_text(summary.statistics) + phases_text(summary);
  if (!summary.results.empty()) text += "results\n";
  for (const auto& [name, figure] : summary.results) text += line(name, result_text(summary, name, figure));
  text += sensitivities_text(summary) + gradients_text(summary) + fit_text(summary.fit);
  return text + citations(summary);
}

} // namespace rhumb::run
