#include <rhumb/run/figure_gradient.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/dae/figure_gradients.hpp>
#include <rhumb/dae/scalar_differences.hpp>
#include <rhumb/run/sensitivities.hpp>
#include <rhumb/run/summary.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::run {

using core::check;

namespace {
/// More evaluations of the figures take longer than a run.
constexpr long max_evaluations = 100000;

const double* number_in(const dae::Figures& figures, const FigureName& wanted) {
  const auto found = std::ranges::find(figures, wanted.name, &dae::Figures::value_type::first);
  if (found == figures.end()) return nullptr;
  if (wanted.entry == 0) return std::get_if<double>(&found->second);
  const auto* list = std::get_if<std::vector<double>>(&found->second);
  return list && wanted.entry <= list->size() ? &(*list)[wanted.entry - 1] : nullptr;
}

[[noreturn]] void reject_name(const FigureName& wanted, const dae::Figures& figures, const std::string& problem) {
  std::vector<std::string> known;
  for (const auto& [name, figure] : figures) {
    if (std::holds_alternative<double>(figure)) known.push_back(name);
    if (const auto* list = std::get_if<std::vector<double>>(&figure))
      if (!list->empty()) known.push_back(name + "[1]");
  }
  const std::string near = core::nearest(wanted.text(), known);
  throw core::BadInput(fmt::format("option -gradient {}: {} reports no such number{}; its figures are {}",
                                   wanted.text(), problem, near.empty() ? "" : "; nearest: " + near,
                                   fmt::join(known, ", ")));
}

[[noreturn]] void reject_size(const FigureName& figure, PetscInt unknowns) {
  throw core::BadInput(fmt::format("option -gradient {}: the figure depends on too many of {} unknowns for "
                                   "differences, and the problem does not know its derivatives; nearest: -sensitivity",
                                   figure.text(), unknowns));
}

/// A variable of a small system is a figure of its own: the derivative is 1 at its entry.
bool is_variable(dae::Problem& problem, const FigureName& figure, double t, Vec y, Vec ydot, Vec by_y) {
  const auto state = small_state(problem, y);
  const auto found = std::ranges::find(state, figure.name, &std::pair<std::string, std::vector<double>>::first);
  if (figure.entry != 0 || found == state.end() || found->second.size() != 1) return false;
  const dae::Figures reported = problem.report(t, y, ydot);
  if (std::ranges::find(reported, figure.name, &dae::Figures::value_type::first) != reported.end()) return false;
  const auto fields = problem.fields();
  const core::Writable out(by_y);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] =
        fields[static_cast<std::size_t>(problem.field_of(static_cast<PetscInt>(i)))].name == figure.name ? 1.0 : 0.0;
  return true;
}
} // namespace

FigureName FigureName::parse(const std::string& text) {
  const auto open = text.find('[');
  if (open == std::string::npos || !text.ends_with(']')) return {text, 0};
  const auto entry = core::parse_integer(text.substr(open + 1, text.size() - open - 2));
  if (!entry || *entry < 1)
    throw core::BadInput(
        fmt::format("option -gradient {}: entries of a list are counted from 1, as in probes[1]", text));
  return {text.substr(0, open), static_cast<std::size_t>(*entry)};
}

std::string FigureName::text() const {
  return entry == 0 ? name : fmt::format("{}[{}]", name, entry);
}

double figure_value(dae::Problem& problem, const FigureName& figure, double t, Vec y, Vec ydot) {
  const dae::Figures figures = figures_of(problem, t, y, ydot);
  const double* value = number_in(figures, figure);
  if (!value) reject_name(figure, figures, problem.name());
  return *value;
}

void differentiate_figure(dae::Problem& problem, const FigureName& figure, double t, Vec y, Vec ydot, Vec by_y,
                          Vec by_ydot) {
  check(VecSet(by_ydot, 0.0));
  if (is_variable(problem, figure, t, y, ydot, by_y)) return;
  auto* known = dynamic_cast<dae::FigureGradients*>(&problem);
  if (known && known->figure_gradient(figure.text(), t, y, by_y)) return;
  PetscInt size = 0;
  check(VecGetSize(y, &size));
  const std::vector<double> saved_state = problem.saved_state();
  long evaluations = 0;
  dae::ScalarDifferences differences(
      problem,
      [&](Vec moved_y, Vec moved_ydot) {
        if (++evaluations > max_evaluations) reject_size(figure, size);
        const double value = figure_value(problem, figure, t, moved_y, moved_ydot);
        if (!saved_state.empty()) problem.restore_state(saved_state);
        return value;
      },
      y, ydot);
  differences.by_y(by_y);
  differences.by_ydot(by_ydot);
}

} // namespace rhumb::run
