#include <rhumb/run/gradients.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/io/checkpoint.hpp>
#include <rhumb/io/snapshot_contents.hpp>
#include <rhumb/run/option_parameters.hpp>
#include <rhumb/run/summary.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::run {

using core::check;

namespace {
const std::string initial = "initial:", integral = "integral:";
/// Of a parameter's size: how far it is moved where a figure is differentiated by it.
constexpr double parameter_part = 1e-6;

[[noreturn]] void reject(const std::string& given, const std::string& what, const std::vector<std::string>& known) {
  constexpr std::size_t max_listed = 40;
  const std::string near = core::nearest(given, known);
  const auto last = known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), max_listed));
  throw core::BadInput(fmt::format("option -with {}: {}{}; there are {}{}", given, what,
                                   near.empty() ? "" : "; nearest: " + near, fmt::join(known.begin(), last, ", "),
                                   last == known.end() ? "" : ", ..."));
}

void add_parameters(const std::string& pattern, const dae::Problem& problem, GradientRequest& request) {
  const auto known = problem.parameters();
  bool found = false;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!matches(pattern, known[i].name)) continue;
    found = true;
    if (std::ranges::find(request.parameters, i) == request.parameters.end()) request.parameters.push_back(i);
  }
  if (found) return;
  std::vector<std::string> names;
  for (const auto& one : known) names.push_back(one.name);
  for (const auto& field : problem.fields()) names.push_back(initial + field.name);
  reject(pattern, problem.name() + " has no such parameter", names);
}

void add_field(const std::string& name, const dae::Problem& problem, GradientRequest& request) {
  std::vector<std::string> names;
  for (const auto& field : problem.fields()) names.push_back(initial + field.name);
  if (std::ranges::find(names, initial + name) == names.end())
    reject(initial + name, problem.name() + " has no such field", names);
  request.fields.push_back(name);
}

bool is_integral(const std::string& figure) {
  return figure.starts_with(integral);
}

FigureName name_of(const std::string& figure) {
  return FigureName::parse(is_integral(figure) ? figure.substr(integral.size()) : figure);
}

/// A figure that the problem accumulates on its way depends on all of y(t), which a sweep from the last one misses.
void reject_accumulated(dae::Problem& problem, const FigureName& figure, const std::vector<double>& first_state,
                        double t, Vec y, Vec ydot) {
  const auto present = problem.saved_state();
  if (present.empty() || first_state.size() != present.size()) return;
  const double value = figure_value(problem, figure, t, y, ydot);
  problem.restore_state(first_state);
  const double without = figure_value(problem, figure, t, y, ydot);
  problem.restore_state(present);
  if (value == without || (std::isnan(value) && std::isnan(without))) return;
  throw core::BadInput(
      fmt::format("option -gradient {}: the problem finds this figure on its way, not from the last state, "
                  "and the sweep back does not follow that; nearest: -sensitivity, which does",
                  figure.text()));
}

bdf::Functional functional_of(dae::Problem& problem, const std::string& figure, double t, Vec y, Vec ydot) {
  const FigureName name = name_of(figure);
  bdf::Functional out;
  if (is_integral(figure)) {
    const std::shared_ptr<core::VecHandle> unused = std::make_shared<core::VecHandle>(core::same_layout(y));
    out.integrals.push_back(
        {t, [&problem, name](double at, Vec value, Vec rate) { return figure_value(problem, name, at, value, rate); },
         [&problem, name, unused](double at, Vec value, Vec rate, Vec by_y) {
           differentiate_figure(problem, name, at, value, rate, by_y, *unused);
         }});
    return out;
  }
  bdf::AdjointSeed seed{t, core::same_layout(y), core::same_layout(y)};
  differentiate_figure(problem, name, t, y, ydot, seed.by_y, seed.by_ydot);
  out.seeds.push_back(std::move(seed));
  return out;
}

/// d(figure)/dp where y stays.
double by_parameter_alone(dae::Problem& problem, const std::string& figure, std::size_t index, double t, Vec y,
                          Vec ydot) {
  if (is_integral(figure)) return 0.0; // in the sweep
  const FigureName name = name_of(figure);
  const dae::Parameter p = problem.parameters()[index];
  const double shift = parameter_part * (p.value != 0.0 ? std::abs(p.value) : 1.0);
  const double above = p.value + shift <= p.upper ? p.value + shift : p.value,
               below = p.value - shift >= p.lower ? p.value - shift : p.value;
  const auto present = problem.saved_state();
  const auto value_at = [&](double value) {
    problem.set_parameter(index, value);
    if (!present.empty()) problem.restore_state(present);
    return figure_value(problem, name, t, y, ydot);
  };
  const double difference = value_at(above) - value_at(below);
  value_at(p.value);
  return difference / (above - below);
}

std::string name_of_saved(std::size_t i) {
  return fmt::format("run.gradient_start_{}", i);
}

/// The gradient by a field's one initial value; nothing where it has several.
std::optional<double> of_single_unknown(const dae::Problem& problem, const std::string& field, Vec gradient) {
  for (const auto& [name, values] : small_state(problem, gradient))
    if (name == field && values.size() == 1) return values.front();
  return std::nullopt;
}

} // namespace

std::vector<std::string> parameters_in_with(const core::Options& options) {
  std::vector<std::string> out;
  for (const auto& name : core::split_at_commas(options.string("with", "", {"what -gradient differentiates by"})))
    if (!name.starts_with(initial)) out.push_back(name);
  return out;
}

GradientRequest read_gradients(const core::Options& options, const dae::Problem& problem) {
  GradientRequest out;
  out.figures = core::split_at_commas(options.string(
      "gradient", "",
      {"figures at the end of the run, or integral:FIGURE, that are differentiated by what -with names"}));
  const auto with = core::split_at_commas(
      options.string("with", "", {"gradient: parameters, and initial:FIELD for the initial values of a field"}));
  if (out.figures.empty() != with.empty())
    throw core::BadInput(out.figures.empty() ? "option -with: it needs a -gradient"
                                             : "option -gradient: -with names what to differentiate by");
  for (const auto& figure : out.figures) name_of(figure);
  for (const auto& name : with)
    if (name.starts_with(initial))
      add_field(name.substr(initial.size()), problem, out);
    else
      add_parameters(name, problem, out);
  return out;
}

void GradientWatch::begin(const bdf::Integrator& integrator, const io::Restart* from) {
  const auto present = problem_.saved_state();
  saved_state_ = present;
  for (std::size_t i = 0; from && i < saved_state_.size(); ++i) saved_state_[i] = from->scalar(name_of_saved(i));
  for (const auto& figure : request_.figures)
    figure_value(problem_, name_of(figure), integrator.time(), integrator.state(), integrator.derivative());
  if (!present.empty()) problem_.restore_state(present);
}

void GradientWatch::save(NamedScalars& numbers) {
  for (std::size_t i = 0; i < saved_state_.size(); ++i) numbers.emplace_back(name_of_saved(i), saved_state_[i]);
}

std::vector<FigureGradient> sweep_back(bdf::Integrator& integrator, const GradientRequest& request,
                                       dae::Problem& problem, const std::vector<double>& first_state, double t, Vec y,
                                       Vec ydot) {
  std::vector<bdf::Functional> functionals;
  for (const auto& figure : request.figures) {
    if (!is_integral(figure)) reject_accumulated(problem, name_of(figure), first_state, t, y, ydot);
    functionals.push_back(functional_of(problem, figure, t, y, ydot));
  }
  auto gradients = integrator.gradients(std::move(functionals), request.parameters);
  const auto known = problem.parameters();
  std::vector<FigureGradient> out;
  for (std::size_t i = 0; i < request.figures.size(); ++i) {
    FigureGradient one{request.figures[i], {}, std::move(gradients[i].by_initial_values)};
    for (std::size_t k = 0; k < request.parameters.size(); ++k) {
      const std::size_t index = request.parameters[k];
      one.by.emplace_back(known[index].name,
                          gradients[i].by_parameter[k] + by_parameter_alone(problem, one.figure, index, t, y, ydot));
    }
    for (const auto& field : request.fields)
      if (const auto value = of_single_unknown(problem, field, one.by_initial_values))
        one.by.emplace_back(initial + field, *value);
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace rhumb::run
