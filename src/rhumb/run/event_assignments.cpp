#include <rhumb/run/event_assignments.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::run {

namespace {
std::string scalar_name(const dae::Parameter& parameter) {
  return "run.parameter_" + parameter.name;
}
} // namespace

std::string EventAssignments::hint(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& parameter : initial_) names.push_back(parameter.name);
  const std::string near = core::nearest(name, names);
  return near.empty() ? "" : fmt::format("; did you mean {}?", near);
}

EventAssignments::EventAssignments(const std::vector<EventRule>& rules, dae::Problem& problem)
    : problem_(problem), of_event_(rules.size()), initial_(problem.parameters()) {
  for (std::size_t i = 0; i < rules.size(); ++i)
    for (const auto& [name, value] : rules[i].set) {
      const auto found = std::ranges::find(initial_, name, &dae::Parameter::name);
      const std::string option = fmt::format("option -event_{}_set {}={:g}", rules[i].name, name, value);
      if (found == initial_.end()) throw core::BadInput(option + ": this problem has no such parameter" + hint(name));
      const auto parameter = static_cast<std::size_t>(found - initial_.begin());
      of_event_[i].push_back({parameter, value});
      if (std::ranges::find(assigned_, parameter) == assigned_.end()) assigned_.push_back(parameter);
      try {
        set(parameter, value);
      } catch (const core::BadInput& rejected) {
        throw core::BadInput(fmt::format("{}: {}", option, rejected.what()));
      }
      set(parameter, initial_[parameter].value);
    }
}

void EventAssignments::set(std::size_t parameter, double value) {
  const dae::Parameter& p = initial_[parameter];
  if (!(value >= p.lower && value <= p.upper))
    throw core::BadInput(fmt::format("it must be between {:g} and {:g}", p.lower, p.upper));
  problem_.set_parameter(parameter, value);
}

void EventAssignments::apply(int which) {
  for (const auto& [parameter, value] : of_event_[which]) set(parameter, value);
}

NamedScalars EventAssignments::saved_state() const {
  NamedScalars state;
  const auto present = problem_.parameters();
  for (const std::size_t parameter : assigned_)
    state.emplace_back(scalar_name(present[parameter]), present[parameter].value);
  return state;
}

void EventAssignments::restore(const io::Restart& from) {
  for (const std::size_t parameter : assigned_) {
    const dae::Parameter& p = initial_[parameter];
    const double value = from.scalar_or(scalar_name(p), p.value);
    const bool known = value == p.value || std::ranges::any_of(of_event_, [&](const auto& list) {
                         return std::ranges::any_of(
                             list, [&](const auto& one) { return one.parameter == parameter && one.value == value; });
                       });
    if (!known)
      throw core::BadInput(fmt::format("checkpoint '{}': {} = {:g} is none of the values that events set",
                                       from.file.string(), p.name, value));
    set(parameter, value);
  }
}

} // namespace rhumb::run
