#include <rhumb/run/event_rules.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/run/event_assignments.hpp>
#include <rhumb/run/quantities.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace rhumb::run {

namespace {
/// `a < b` and `a > b` are events where b - a and a - b become positive; other formulas are left as they are.
void read_comparison(EventRule& rule) {
  int depth = 0;
  for (std::size_t i = 0; i < rule.when.size(); ++i) {
    const char c = rule.when[i];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth != 0 || (c != '<' && c != '>')) continue;
    const std::size_t next = i + 1 < rule.when.size() && rule.when[i + 1] == '=' ? i + 2 : i + 1;
    const std::string left = rule.when.substr(0, i), right = rule.when.substr(next);
    rule.when = c == '<' ? fmt::format("({}) - ({})", right, left) : fmt::format("({}) - ({})", left, right);
    rule.direction = dae::Event::Direction::rising;
    return;
  }
}

/// "source = 0, bc_h = 5"
std::vector<std::pair<std::string, double>> read_assignments(const std::string& option, const std::string& text) {
  std::vector<std::pair<std::string, double>> out;
  for (auto part : core::split_at_commas(text)) {
    std::erase(part, ' ');
    const auto equals = part.find('=');
    const auto value = equals == std::string::npos ? std::nullopt : core::parse_real(part.substr(equals + 1));
    if (!value || equals == 0)
      throw core::BadInput(fmt::format("option -{} {}: NAME = VALUE is wanted, between commas", option, text));
    out.emplace_back(part.substr(0, equals), *value);
  }
  return out;
}

EventRule read_rule(const core::Options& options, const std::string& name) {
  using Direction = dae::Event::Direction;
  EventRule rule{name, ""};
  const std::string stem = fmt::format("event_{}_", name);
  rule.when =
      options.string(stem + "when", "", {"the event is where this formula changes sign, or where a < b becomes true"});
  if (rule.when.empty()) throw core::BadInput(fmt::format("option -events {}: give -{}when, a formula", name, stem));
  const auto direction =
      options.choice(stem + "direction", "any", {"any", "rising", "falling"}, {"which changes of sign count"});
  rule.direction = direction == "rising"    ? Direction::rising
                   : direction == "falling" ? Direction::falling
                                            : Direction::any;
  if (direction == "any") read_comparison(rule);
  const auto then =
      options.choice(stem + "then", "note", {"note", "snapshot", "stop"}, {"what is done where the event happens"});
  rule.then = then == "stop"       ? EventRule::Then::stop
              : then == "snapshot" ? EventRule::Then::snapshot
                                   : EventRule::Then::note;
  rule.set = read_assignments(
      stem + "set", options.string(stem + "set", "", {"parameters that the event sets, as in source = 0, bc_h = 5"}));
  return rule;
}
} // namespace

std::vector<EventRule> read_event_rules(const core::Options& options) {
  const auto names = options.string(
      "events", "", {"names of events to look for, between commas; -event_NAME_when (a formula), _direction, _then"});
  std::vector<EventRule> rules;
  for (auto name : core::split_at_commas(names)) {
    std::erase(name, ' ');
    const bool twice = std::ranges::any_of(rules, [&](const EventRule& rule) { return rule.name == name; });
    if (name.empty() || twice)
      throw core::BadInput(fmt::format("option -events {}: names between commas are wanted, each once", names));
    rules.push_back(read_rule(options, name));
  }
  return rules;
}

bdf::Watch watch_of(const std::vector<EventRule>& rules, dae::Problem& problem, double t0,
                    std::shared_ptr<EventAssignments> assignments) {
  bdf::Watch watch;
  if (rules.empty()) return watch;
  const auto quantities = std::make_shared<Quantities>(problem, t0);
  for (const auto& rule : rules) {
    watch.events.push_back({rule.name, rule.direction});
    quantities->add_formula(rule.when, fmt::format("option -event_{}_when", rule.name));
  }
  watch.values = [=](double t, Vec y, Vec ydot, std::span<double> values) {
    std::ranges::copy(quantities->evaluate(t, y, ydot), values.begin());
  };
  watch.handle = [rules, assignments = std::move(assignments)](int which) {
    if (assignments) assignments->apply(which);
    if (rules[which].then == EventRule::Then::stop) return dae::AfterEvent::stop;
    return rules[which].set.empty() ? dae::AfterEvent::go_on : dae::AfterEvent::restart;
  };
  return watch;
}

} // namespace rhumb::run
