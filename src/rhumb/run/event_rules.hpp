#pragma once
/// Events that a user asks for, of any problem: where a formula changes sign, note the time, write a snapshot, or stop.
/// In a case file:
///
///   events: hot, late
///   event:
///     hot: {when: T_max - 350, direction: rising, then: stop}
///     late: {when: t - 5, then: snapshot}
///
/// What formulas may name is in quantities.hpp.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace rhumb::run {

struct EventRule {
  enum class Then : std::uint8_t { note, snapshot, stop };
  std::string name;
  std::string when; ///< a formula
  dae::Event::Direction direction = dae::Event::Direction::any;
  Then then = Then::note;
};

/// Reads -events and, for each, -event_NAME_when, -event_NAME_direction and -event_NAME_then. Throws core::BadInput.
std::vector<EventRule> read_event_rules(const core::Options& options);

/// The root functions of the rules; t0 is the start of the run. Collective. Throws core::BadInput on a bad formula.
bdf::Watch watch_of(const std::vector<EventRule>& rules, dae::Problem& problem, double t0);

} // namespace rhumb::run
