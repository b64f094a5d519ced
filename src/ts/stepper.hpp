#pragma once
/// One TS and its integrator. TSSolve keeps its own loop (monitors, events, pre- and post-step functions, rollback);
/// each of its steps is one step of the integrator, or a part of one.
///
/// The TS's time may lie behind the integrator's: where an event must be located or a time of TSSetTimeSpan lies inside
/// a step, the TS gets the dense output there and the integrator's work is not repeated.

#include "bdf/integrator.hpp"
#include "core/contents.hpp"
#include "ts/settings.hpp"
#include "ts/system.hpp"

namespace rhumb::ts {

class Stepper {
public:
  explicit Stepper(TS ts) : ts_(ts) {}

  Settings settings;

  void set_up();
  void reset();
  /// Moves ts->ptime and ts->vec_sol one step on; core::SolverGaveUp becomes a diverged reason and `diagnosis`.
  void step();
  void roll_back();
  void interpolate(double t, Vec u) const;
  /// Adds this step's part of the integrals of TSCreateQuadratureTS.
  void integrate_cost();
  void view(PetscViewer viewer) const;

  /// Why the last step failed; empty when it did not.
  const std::string& diagnosis() const { return diagnosis_; }

private:
  bool must_begin();
  bool solution_was_changed();
  void begin();
  void build();
  void advance();
  void advance_off_events();
  std::vector<bool> events_near_zero(double t, Vec u) const;
  void repeat_until(double t);
  double next_time() const;
  void remember_solution(double t);

  /// The TS's settings that an integrator was built with; another one is built when they change.
  struct Built {
    double rtol, atol;
    Vec vrtol, vatol;
    bool operator==(const Built&) const = default;
  };
  Built wanted() const;

  TS ts_;
  std::unique_ptr<TsSystem> system_;
  std::unique_ptr<bdf::Integrator> integrator_;
  Built built_{};
  double first_dt_ = 0.0;    ///< -ts_dt
  core::VecHandle previous_; ///< solution at the start of the TS's step
  core::VecHandle known_;    ///< solution as we left it
  core::Contents known_contents_;
  double known_time_ = 0.0;                  ///< time as we left it
  core::VecHandle cost_before_, cost_state_; ///< of integrate_cost
  std::string diagnosis_;
};

} // namespace rhumb::ts
