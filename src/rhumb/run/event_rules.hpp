#pragma once
/// Events that a user asks for, of any problem: where a formula changes sign, note the time, write a snapshot, stop, or
/// set parameters.
/// In a case file:
///
///   events: hot, late
///   event:
///     hot: {when: T_max - 350, direction: rising, then: stop}
///     late: {when: t - 5, then: snapshot}
///     cold: {when: T_min < 320, set: source = 1000}
///
/// What formulas may name is in quantities.hpp.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhumb::run {

struct EventRule {
  enum class Then : std::uint8_t { note, snapshot, stop };
  std::string name;
  std::string when; ///< a formula
  dae::Event::Direction direction = dae::Event::Direction::any;
  Then then = Then::note;
  std::vector<std::pair<std::string, double>> set = {}; ///< parameters, and what they become
};

/// Reads -events and, for each, -event_NAME_when, _direction, _then and _set. Throws core::BadInput.
std::vector<EventRule> read_event_rules(const core::Options& options);

class EventAssignments;

/// The root functions of the rules; t0 is the start of the run. Collective. Throws core::BadInput on a bad formula.
bdf::Watch watch_of(const std::vector<EventRule>& rules, dae::Problem& problem, double t0,
                    std::shared_ptr<EventAssignments> assignments);

} // namespace rhumb::run
