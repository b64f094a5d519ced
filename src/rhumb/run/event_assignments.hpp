#pragma once
/// Parameters that events set (`-event_NAME_set source=0`), with what they have been set to in the checkpoint.

#include <rhumb/dae/problem.hpp>
#include <rhumb/io/checkpoint.hpp>
#include <rhumb/run/event_rules.hpp>
#include <rhumb/run/observer.hpp>

namespace rhumb::run {

class EventAssignments {
public:
  /// Tries every value once. Collective. Throws core::BadInput on a name that is no parameter of the problem and on a
  /// value that it rejects.
  EventAssignments(const std::vector<EventRule>& rules, dae::Problem& problem);

  /// Whether the event with this position in the rules sets anything.
  bool sets(int which) const { return !of_event_[which].empty(); }
  /// On all ranks.
  void apply(int which);

  NamedScalars saved_state() const;
  /// Throws core::BadInput where a value is none that an event sets.
  void restore(const io::Restart& from);

private:
  struct Assignment {
    std::size_t parameter; ///< position in System::parameters
    double value;
  };
  void set(std::size_t parameter, double value);
  std::string hint(const std::string& name) const;

  dae::Problem& problem_;
  std::vector<std::vector<Assignment>> of_event_;
  std::vector<dae::Parameter> initial_; ///< all of the problem
  std::vector<std::size_t> assigned_;   ///< those that any event sets
};

} // namespace rhumb::run
