#include <rhumb/run/event_rules.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/formula.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <memory>

namespace rhumb::run {

namespace {
/// What formulas may name, and its values at a state.
class Quantities {
public:
  Quantities(dae::Problem& problem, double t0) : problem_(problem), names_{"t"} {
    for (const auto& field : problem.fields()) {
      names_.push_back(field.name + "_min");
      names_.push_back(field.name + "_max");
    }
    extrema_ = names_.size() - 1;
    const core::VecHandle y = problem.create_vector(), ydot = core::same_layout(y);
    problem.initial_values(t0, y, ydot);
    for (const auto& [name, value] : problem.series(t0, y, ydot)) names_.push_back(name);
  }

  const std::vector<std::string>& names() const { return names_; }
  bool is_series(std::size_t index) const { return index > extrema_; }

  /// Collective. Series are asked for only where a formula needs one.
  std::vector<double> at(double t, Vec y, Vec ydot, bool with_series) const {
    std::vector<double> values{t};
    add_extrema(y, values);
    if (with_series)
      for (const auto& [name, value] : problem_.series(t, y, ydot)) values.push_back(value);
    values.resize(names_.size(), std::numeric_limits<double>::quiet_NaN());
    return values;
  }

private:
  /// The smallest and the largest value of each field, by one reduction.
  void add_extrema(Vec y, std::vector<double>& values) const {
    const core::Readable local(y);
    std::vector<double> largest(extrema_, -std::numeric_limits<double>::infinity()); // of -y and y
    for (std::size_t i = 0; i < local.size(); ++i) {
      const auto field = static_cast<std::size_t>(problem_.field_of(static_cast<PetscInt>(i)));
      largest[2 * field] = std::max(largest[2 * field], -local[i]);
      largest[2 * field + 1] = std::max(largest[2 * field + 1], local[i]);
    }
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, largest.data(), static_cast<int>(largest.size()), MPI_DOUBLE, MPI_MAX,
                                  PetscObjectComm(reinterpret_cast<PetscObject>(y))));
    for (std::size_t i = 0; i < largest.size(); ++i) values.push_back(i % 2 == 0 ? -largest[i] : largest[i]);
  }

  dae::Problem& problem_;
  std::vector<std::string> names_;
  std::size_t extrema_ = 0; ///< how many
};

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

bdf::Watch watch_of(const std::vector<EventRule>& rules, dae::Problem& problem, double t0) {
  bdf::Watch watch;
  if (rules.empty()) return watch;
  const auto quantities = std::make_shared<Quantities>(problem, t0);
  std::vector<core::Formula> formulas;
  bool with_series = false;
  for (const auto& rule : rules) {
    watch.events.push_back({rule.name, rule.direction});
    formulas.push_back(
        core::parse_formula(rule.when, {quantities->names()}, fmt::format("option -event_{}_when", rule.name)));
    for (std::size_t i = 0; i < quantities->names().size(); ++i)
      with_series = with_series || (quantities->is_series(i) && formulas.back().uses(i));
  }
  watch.values = [=](double t, Vec y, Vec ydot, std::span<double> values) {
    const auto inputs = quantities->at(t, y, ydot, with_series);
    for (std::size_t i = 0; i < formulas.size(); ++i) values[i] = formulas[i](std::span<const double>(inputs));
  };
  watch.stops = [rules](int which) { return rules[which].then == EventRule::Then::stop; };
  return watch;
}

} // namespace rhumb::run
