#pragma once
/// Keeps the solution in memory for the caller: the states at the output times, the whole trajectory where it is
/// wanted, and the events.

#include <rhumb/run/schedule.hpp>
#include <rhumb/run/solution.hpp>

namespace rhumb::run {

class KeptStates : public Observer {
public:
  KeptStates(Schedule times, double t_end, bool whole) : times_(std::move(times)), t_end_(t_end), whole_(whole) {}

  void begin(const bdf::Integrator& integrator, const io::Restart* from) override;
  void step(const bdf::Integrator& integrator, const bdf::StepOutcome& progress) override;
  void event(const bdf::Integrator& integrator, const bdf::StepOutcome& progress) override {
    step(integrator, progress);
  }
  std::optional<double> next_output() const override;
  void output(double t, Vec y, Vec ydot) override;

  /// Moves what was kept into the solution; `integrator` stands where the run ended.
  void hand_over(const bdf::Integrator& integrator, Solution& solution);

private:
  Schedule times_;
  double t_end_;
  bool whole_;
  int order_ = 0; ///< of the last step; 0: there was none
  std::vector<double> reached_;
  std::vector<core::VecHandle> states_;
  bdf::Trajectory trajectory_;
};

} // namespace rhumb::run
