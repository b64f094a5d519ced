#pragma once
/// One TS and its integrator. TSSolve keeps its own loop (monitors, events, pre- and post-step functions, rollback);
/// each of its steps is one step of the integrator, or a part of one.
///
/// The TS's time may lie behind the integrator's: where an event must be located or a time of TSSetTimeSpan lies inside
/// a step, the TS gets the dense output there and the integrator's work is not repeated.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/sense.hpp>
#include <rhumb/core/vec_version.hpp>
#include <rhumb/ts/equations.hpp>
#include <rhumb/ts/settings.hpp>
#include <rhumb/ts/system.hpp>

namespace rhumb::ts {

class Stepper {
public:
  explicit Stepper(TS ts) : ts_(ts) {}

  TsSettings settings;

  void set_up();
  void reset();
  /// Moves ts->ptime and ts->vec_sol one step on; core::SolverGaveUp becomes a diverged reason and `diagnosis`.
  void step();
  void roll_back();
  void interpolate(double t, Vec u) const;
  /// Adds this step's part of the integrals of TSCreateQuadratureTS.
  void integrate_cost();
  void view(PetscViewer viewer) const;

  // TSForward and TSAdjoint, in derivatives.cpp.
  void set_up_forward();
  /// The sensitivities at the TS's time into its matrix.
  void forward_step();
  void adjoint_step();

  /// Why the last step failed; empty when it did not.
  const std::string& diagnosis() const { return diagnosis_; }

private:
  bool must_begin();
  void begin();
  void advance();
  void advance_off_events();
  std::vector<bool> events_near_zero(double t, Vec u) const;
  void repeat_until(double t);
  void dense_output(double t, Vec u) const;
  double next_time() const;
  double next_step() const;
  void remember_solution(double t);
  void note_time_step();
  void renew_system();
  bool integrator_recorded() const { return built_.options.adjoint.record; }
  void sweep_back();

  /// All that an integrator is built from; another one is built when it has changed.
  struct Plan {
    TsSettings settings;
    bdf::IntegratorOptions options;
    TsEquations equations;
    core::VecVersion rtol_vector, atol_vector;
    bool operator==(const Plan&) const = default;
  };
  Plan plan() const;

  TS ts_;
  std::unique_ptr<TsSystem> system_;
  std::unique_ptr<bdf::Integrator> integrator_;
  Plan built_;
  double dt_ = 0.0;                  ///< the time step that the program asked for: -ts_dt, TSSetTimeStep
  core::Sense sense_;                ///< that of the last dt_ at a start
  std::optional<double> known_step_; ///< TS's time step as we left it
  /// For TSView, of all integrators that this TS has had.
  struct Counts {
    long steps = 0, residuals = 0, jacobians = 0, setups = 0, error_failures = 0, convergence_failures = 0;
    long products = 0; ///< Jacobians evaluated for products with Amat
  };
  Counts counts() const;
  Counts discarded_;
  long probes_ = 0;          ///< residuals evaluated to find the kinds of variables
  core::VecHandle previous_; ///< solution at the start of the TS's step
  core::VecHandle known_;    ///< solution as we left it
  core::VecVersion known_contents_;
  double known_time_ = 0.0;                  ///< time as we left it
  core::VecHandle cost_before_, cost_state_; ///< of integrate_cost
  double begin_time_ = 0.0;                  ///< of the last start
  PetscInt begin_step_ = 0;                  ///< the TS's number of steps there
  core::VecHandle begin_state_, work_;       ///< there; with events only
  std::string diagnosis_;
};

} // namespace rhumb::ts
