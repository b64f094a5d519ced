#include <rhumb/run/sensitivities.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/io/checkpoint.hpp>
#include <rhumb/run/option_parameters.hpp>
#include <rhumb/run/summary.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::run {

using core::check;

namespace {

/// More names than this are not listed in a message.
constexpr std::size_t max_listed = 40;

std::vector<std::string> names_of(const std::vector<dae::Parameter>& parameters) {
  std::vector<std::string> names;
  for (const auto& parameter : parameters) names.push_back(parameter.name);
  return names;
}

[[noreturn]] void reject_name(const std::string& name, const std::vector<std::string>& known,
                              const std::string& problem) {
  if (known.empty()) throw core::BadInput(fmt::format("option -sensitivity {}: {} has no parameters", name, problem));
  const std::string near = core::nearest(name, known);
  const auto last = known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), max_listed));
  throw core::BadInput(fmt::format("option -sensitivity {}: {} has no such parameter{}; its parameters are {}{}", name,
                                   problem, near.empty() ? "" : "; nearest: " + near,
                                   fmt::join(known.begin(), last, ", "), last == known.end() ? "" : ", ..."));
}

/// The parameters of this name, or with `*` at its end all that begin so.
std::vector<std::size_t> find_parameters(const std::string& name, const std::vector<std::string>& known,
                                         const std::string& problem) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (matches(name, known[i])) out.push_back(i);
  if (out.empty()) reject_name(name, known, problem);
  return out;
}

/// (above - below) / distance of numbers and lists; nothing of words, and of lists that differ in length.
dae::Figures difference(const dae::Figures& above, const dae::Figures& below, double distance) {
  dae::Figures out;
  for (const auto& [name, figure] : above) {
    const auto same = std::ranges::find(below, name, &dae::Figures::value_type::first);
    if (same == below.end() || same->second.index() != figure.index()) continue;
    if (const auto* number = std::get_if<double>(&figure))
      out.emplace_back(name, (*number - std::get<double>(same->second)) / distance);
    if (const auto* list = std::get_if<std::vector<double>>(&figure)) {
      const auto& other = std::get<std::vector<double>>(same->second);
      if (other.size() != list->size()) continue;
      std::vector<double> derivatives(list->size());
      for (std::size_t i = 0; i < derivatives.size(); ++i) derivatives[i] = ((*list)[i] - other[i]) / distance;
      out.emplace_back(name, derivatives);
    }
  }
  return out;
}

bool all_zero(const dae::Figures& figures) {
  return std::ranges::all_of(figures, [](const auto& figure) {
    if (const auto* number = std::get_if<double>(&figure.second)) return *number == 0.0 || std::isnan(*number);
    if (const auto* list = std::get_if<std::vector<double>>(&figure.second))
      return std::ranges::all_of(*list, [](double value) { return value == 0.0 || std::isnan(value); });
    return true;
  });
}

} // namespace

core::About about_sensitivity() {
  return {
      "parameters by which the solution and all figures are differentiated, between commas; A_*: all that begin so"};
}

bdf::Sensitivities read_sensitivities(const core::Options& options, const dae::Problem& problem) {
  bdf::Sensitivities out;
  const auto wanted = core::split_at_commas(options.string("sensitivity", "", about_sensitivity()));
  const auto scales =
      options.reals("sensitivity_scale", {}, {"typical sizes of these parameters; their values, where not given"},
                    core::Range::positive());
  out.corrector = options.choice("dae_sensitivity", "staggered", {"staggered", "simultaneous"},
                                 {"how sensitivities are solved for"}) == "simultaneous"
                      ? bdf::SensitivityCorrector::simultaneous
                      : bdf::SensitivityCorrector::staggered;
  out.in_error_test =
      options.flag("dae_sensitivity_errors", false, {"errors of sensitivities bound the steps as those of y do"});
  const auto known = names_of(problem.parameters());
  for (const auto& name : wanted)
    for (const std::size_t index : find_parameters(name, known, problem.name())) {
      const auto twice = std::ranges::find(out.parameters, index, &bdf::SensitivityParameter::index);
      if (twice != out.parameters.end())
        throw core::BadInput(fmt::format("option -sensitivity: {} is given twice", known[index]));
      out.parameters.push_back({index, 0.0});
    }
  if (!scales.empty() && scales.size() != out.parameters.size())
    throw core::BadInput(fmt::format("option -sensitivity_scale has {} numbers, -sensitivity {} parameters",
                                     scales.size(), out.parameters.size()));
  for (std::size_t i = 0; i < scales.size(); ++i) out.parameters[i].scale = scales[i];
  return out;
}

std::vector<std::string> remarks_on(const bdf::Sensitivities& wanted, const dae::Problem& problem) {
  std::vector<std::string> out;
  const auto known = problem.parameters();
  for (const auto& one : wanted.parameters)
    if (known[one.index].value == 0.0 && one.scale == 0.0)
      out.push_back(fmt::format("parameter {} is 0: 1 is taken for its typical size; -sensitivity_scale gives another",
                                known[one.index].name));
  return out;
}

namespace {
/// The variables of a small system where no figure has the name.
void add_state(const std::vector<std::pair<std::string, std::vector<double>>>& state, dae::Figures& figures) {
  for (const auto& [name, values] : state) {
    const bool there = std::ranges::find(figures, name, &dae::Figures::value_type::first) != figures.end();
    if (values.size() == 1 && !there) figures.emplace_back(name, values.front());
  }
}
} // namespace

dae::Figures figures_of(dae::Problem& problem, double t, Vec y, Vec ydot) {
  const auto state = small_state(problem, y); // collective: before a report that may fail on one rank
  dae::Figures figures = problem.report(t, y, ydot);
  add_state(state, figures);
  return figures;
}

std::vector<ParameterDerivatives> differentiate_figures(bdf::Integrator& integrator, const bdf::Sensitivities& wanted,
                                                        dae::Problem& problem, double t, Vec y, Vec ydot,
                                                        bool ended_by_event) {
  std::vector<ParameterDerivatives> out;
  const auto known = problem.parameters();
  const auto s = core::same_layout(y), sdot = core::same_layout(y), moved = core::same_layout(y),
             moved_dot = core::same_layout(y);
  for (std::size_t i = 0; i < wanted.parameters.size(); ++i) {
    integrator.interpolate_sensitivity(i, t, s, sdot);
    double size = 0.0;
    check(VecNorm(s, NORM_INFINITY, &size));
    // A run that ends at an event ends at another time with another parameter.
    const double later = ended_by_event ? integrator.event_time_derivative(i) : 0.0;
    check(VecAXPY(s, later, ydot));
    const auto of_state = small_state(problem, s);
    std::array<dae::Figures, 2> sides;
    std::array<double, 2> shifts{};
    for (const bdf::Side side : bdf::both_sides)
      integrator.beside(i, side, [&](double shift) {
        check(VecWAXPY(moved, shift, s, y));
        check(VecWAXPY(moved_dot, shift, sdot, ydot));
        sides[static_cast<std::size_t>(side)] = problem.report(t + shift * later, moved, moved_dot);
        shifts[static_cast<std::size_t>(side)] = shift;
      });
    const dae::Parameter& by = known[wanted.parameters[i].index];
    ParameterDerivatives one{by.name, by.value, difference(sides[0], sides[1], shifts[0] - shifts[1])};
    add_state(of_state, one.figures); // s itself: a difference would lose digits
    one.description = by.description;
    one.independent = size == 0.0 && all_zero(one.figures);
    out.push_back(std::move(one));
  }
  return out;
}

BesideWatcher::BesideWatcher(bdf::Integrator& integrator, dae::Problem& problem, double t_end)
    : integrator_(integrator), problem_(problem), t_end_(t_end), times_(problem.watch_times()),
      s_(integrator.new_vector()), sdot_(integrator.new_vector()), y_(integrator.new_vector()),
      ydot_(integrator.new_vector()) {}

void BesideWatcher::show(double t, Vec y, Vec ydot, void (dae::Problem::*what)(double, Vec, Vec)) {
  if (problem_.saved_state().empty()) return; // nothing of it would be left
  for (std::size_t i = 0; i < integrator_.sensitivities(); ++i) {
    integrator_.interpolate_sensitivity(i, t, s_, sdot_);
    for (const bdf::Side side : bdf::both_sides)
      integrator_.beside(i, side, [&](double shift) {
        check(VecWAXPY(y_, shift, s_, y));
        check(VecWAXPY(ydot_, shift, sdot_, ydot));
        (problem_.*what)(t, y_, ydot_);
      });
  }
}

void BesideWatcher::begin(const bdf::Integrator& integrator, const io::Restart* from) {
  if (from) {
    times_.skip_through(served_through(*from));
    return;
  }
  show(integrator.time(), integrator.state(), integrator.derivative(), &dae::Problem::after_step);
}

void BesideWatcher::step(const bdf::Integrator& integrator, const bdf::StepOutcome&) {
  show(integrator.time(), integrator.state(), integrator.derivative(), &dae::Problem::after_step);
}

void BesideWatcher::event(const bdf::Integrator& integrator, const bdf::StepOutcome&) {
  show(integrator.time(), integrator.state(), integrator.derivative(), &dae::Problem::after_step);
}

std::optional<double> BesideWatcher::next_output() const {
  return times_.next_until(t_end_);
}

void BesideWatcher::output(double t, Vec y, Vec ydot) {
  times_.advance();
  show(t, y, ydot, &dae::Problem::watch);
}

} // namespace rhumb::run
