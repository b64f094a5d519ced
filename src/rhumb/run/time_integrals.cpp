#include <rhumb/run/time_integrals.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/io/checkpoint.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace rhumb::run {

using core::check;

namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

IntegralRule read_rule(const std::string& text) {
  const auto sign = text.find('=');
  IntegralRule rule{trimmed(text.substr(0, sign)), sign == std::string::npos ? "" : trimmed(text.substr(sign + 1))};
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (rule.name.empty() || rule.rate.empty() || !std::ranges::all_of(rule.name, is_letter))
    throw core::BadInput(fmt::format("option -integral: '{}' is not NAME = FORMULA", trimmed(text)));
  return rule;
}

std::string scalar_name(const std::string& integral, const std::string& what, std::size_t i) {
  return fmt::format("integral.{}.{}_{}", integral, what, i);
}

void save_integral(const core::StepIntegral& integral, const std::string& name, const std::string& what,
                   NamedScalars& scalars) {
  const auto values = integral.saved_state();
  for (std::size_t i = 0; i < values.size(); ++i) scalars.emplace_back(scalar_name(name, what, i), values[i]);
}

void restore_integral(core::StepIntegral& integral, const std::string& name, const std::string& what,
                      const io::Restart& from) {
  std::vector<double> values;
  for (std::size_t i = 0; i < core::StepIntegral::state_size; ++i)
    values.push_back(from.scalar(scalar_name(name, what, i)));
  integral.restore_state(values);
}

std::string of_parameter(std::size_t i) {
  return fmt::format("by_parameter_{}", i + 1);
}

} // namespace

std::vector<IntegralRule> read_integral_rules(const core::Options& options) {
  const auto text = options.string(
      "integral", "", {"integrals over time as figures, NAME = FORMULA; ... in t, variables, extrema and series"});
  std::vector<IntegralRule> rules;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    rules.push_back(read_rule(text.substr(begin, end - begin)));
    if (std::ranges::count(rules, rules.back().name, &IntegralRule::name) > 1)
      throw core::BadInput(fmt::format("option -integral: {} is given twice", rules.back().name));
    begin = end + 1;
  }
  return rules;
}

TimeIntegrals::TimeIntegrals(const std::vector<IntegralRule>& rules, bdf::Integrator& integrator, dae::Problem& problem,
                             double t0)
    : integrator_(integrator), quantities_(problem, t0), s_(integrator.new_vector()), sdot_(integrator.new_vector()),
      y_(integrator.new_vector()), ydot_(integrator.new_vector()) {
  const std::size_t parameters = integrator.sensitivities();
  for (const auto& rule : rules) {
    quantities_.add_formula(rule.rate, "option -integral " + rule.name);
    integrals_.push_back({rule.name, rule.name});
    integrals_.back().derivatives.resize(parameters);
    integrals_.back().jumps.resize(parameters);
  }
}

void TimeIntegrals::begin(const bdf::Integrator&, const io::Restart* from) {
  if (!from) return add();
  for (auto& integral : integrals_) {
    const double stored =
        from->scalar_or(scalar_name(integral.name, "rate", 0), std::numeric_limits<double>::quiet_NaN());
    if (std::isnan(stored))
      throw core::BadInput(fmt::format(
          "option -integral: the checkpoint has no integral {}; a continued run has those that the run began with",
          integral.name));
    integral.rate = stored;
    restore_integral(integral.value, integral.name, "value", *from);
    for (std::size_t i = 0; i < integral.derivatives.size(); ++i) {
      restore_integral(integral.derivatives[i], integral.name, of_parameter(i), *from);
      integral.jumps[i] = from->scalar(scalar_name(integral.name, "jump", i + 1));
    }
  }
}

void TimeIntegrals::save(NamedScalars& scalars) {
  for (const auto& integral : integrals_) {
    scalars.emplace_back(scalar_name(integral.name, "rate", 0), integral.rate);
    save_integral(integral.value, integral.name, "value", scalars);
    for (std::size_t i = 0; i < integral.derivatives.size(); ++i) {
      save_integral(integral.derivatives[i], integral.name, of_parameter(i), scalars);
      scalars.emplace_back(scalar_name(integral.name, "jump", i + 1), integral.jumps[i]);
    }
  }
}

void TimeIntegrals::step(const bdf::Integrator&, const bdf::StepOutcome&) {
  add();
}

/// The limits of the integrals before and after the event move with its time.
void TimeIntegrals::event(const bdf::Integrator&, const bdf::StepOutcome& progress) {
  std::vector<double> before;
  for (const auto& integral : integrals_) before.push_back(integral.rate);
  const bool restarted =
      std::ranges::any_of(progress.events, [](const auto& event) { return event.after == dae::AfterEvent::restart; });
  add();
  if (!restarted) return;
  for (std::size_t k = 0; k < integrals_.size(); ++k)
    for (std::size_t i = 0; i < integrals_[k].jumps.size(); ++i)
      integrals_[k].jumps[i] += (before[k] - integrals_[k].rate) * integrator_.event_time_derivative(i);
}

void TimeIntegrals::add() {
  const double t = integrator_.time();
  const auto rates = quantities_.evaluate(t, integrator_.state(), integrator_.derivative());
  for (std::size_t k = 0; k < integrals_.size(); ++k) {
    integrals_[k].rate = rates[k];
    integrals_[k].value.add(t, rates[k]);
  }
  for (std::size_t i = 0; i < integrator_.sensitivities(); ++i) {
    const auto derivatives = rate_derivatives(i);
    for (std::size_t k = 0; k < integrals_.size(); ++k) integrals_[k].derivatives[i].add(t, derivatives[k]);
  }
}

/// What the formulas name is differentiated through its code, on either side of the parameter.
std::vector<double> TimeIntegrals::rate_derivatives(std::size_t parameter) {
  const double t = integrator_.time();
  integrator_.interpolate_sensitivity(parameter, t, s_, sdot_);
  std::array<std::vector<double>, 2> sides;
  std::array<double, 2> shifts{};
  for (const bdf::Side side : bdf::both_sides)
    integrator_.beside(parameter, side, [&](double shift) {
      check(VecWAXPY(y_, shift, s_, integrator_.state()));
      check(VecWAXPY(ydot_, shift, sdot_, integrator_.derivative()));
      sides[static_cast<std::size_t>(side)] = quantities_.values(t, y_, ydot_);
      shifts[static_cast<std::size_t>(side)] = shift;
    });
  const auto& [above, below] = sides;
  std::vector<double> derivatives;
  for (std::size_t i = 0; i < above.size(); ++i) derivatives.push_back((above[i] - below[i]) / (shifts[0] - shifts[1]));
  return quantities_.differentiate(quantities_.values(t, integrator_.state(), integrator_.derivative()), derivatives,
                                   s_);
}

void TimeIntegrals::add_to(dae::Figures& figures, double t) {
  for (auto& integral : integrals_) {
    const bool taken = std::ranges::find(figures, integral.name, &dae::Figures::value_type::first) != figures.end();
    integral.figure = taken ? "integral_" + integral.name : integral.name;
    figures.emplace_back(integral.figure, integral.value.value(t));
  }
}

void TimeIntegrals::add_derivatives(dae::Figures& figures, std::size_t parameter, double t, bool ended_by_event) const {
  const double later = ended_by_event ? integrator_.event_time_derivative(parameter) : 0.0;
  for (const auto& integral : integrals_)
    figures.emplace_back(integral.figure,
                         integral.derivatives[parameter].value(t) + integral.jumps[parameter] + integral.rate * later);
}

} // namespace rhumb::run
