#include <rhumb/ts/type.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/guard.hpp>
#include <rhumb/core/petsc_private.hpp>
#include <rhumb/ts/register.hpp>
#include <rhumb/ts/stepper.hpp>

namespace rhumb::ts {

namespace {

Stepper& stepper_of(TS ts) {
  return *static_cast<Stepper*>(ts->data);
}

/// Keeps PETSc's messages from being printed while the integrator tries things that may fail (a singular matrix at one
/// step size); what is fatal is reported at the border.
class QuietErrors {
public:
  QuietErrors() { core::keep_petsc_messages(); }
  ~QuietErrors() { PetscPopErrorHandler(); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
};

/// Runs `body`; an exception becomes a PETSc error with its text.
template <class Body>
PetscErrorCode at_border(TS ts, Body&& body) {
  std::string message;
  try {
    const QuietErrors quiet;
    body(stepper_of(ts));
    return 0;
  } catch (...) {
    message = core::message_of_current_exception();
  }
  SETERRQ(PetscObjectComm(reinterpret_cast<PetscObject>(ts)), PETSC_ERR_LIB, "%s", message.c_str());
}

PetscErrorCode set_up(TS ts) {
  return at_border(ts, [](Stepper& stepper) { stepper.set_up(); });
}

PetscErrorCode step(TS ts) {
  PetscCall(at_border(ts, [](Stepper& stepper) { stepper.step(); }));
  const std::string& diagnosis = stepper_of(ts).diagnosis();
  if (diagnosis.empty()) return 0;
  PetscCall(PetscInfo(ts, "%s\n", diagnosis.c_str()));
  PetscCheck(!ts->errorifstepfailed, PetscObjectComm(reinterpret_cast<PetscObject>(ts)), PETSC_ERR_NOT_CONVERGED, "%s",
             diagnosis.c_str());
  return 0;
}

PetscErrorCode roll_back(TS ts) {
  return at_border(ts, [](Stepper& stepper) { stepper.roll_back(); });
}

PetscErrorCode interpolate(TS ts, PetscReal t, Vec u) {
  return at_border(ts, [=](Stepper& stepper) { stepper.interpolate(t, u); });
}

PetscErrorCode integrate_cost(TS ts) {
  return at_border(ts, [](Stepper& stepper) { stepper.integrate_cost(); });
}

PetscErrorCode set_up_forward(TS ts) {
  return at_border(ts, [](Stepper& stepper) { stepper.set_up_forward(); });
}

PetscErrorCode forward_step(TS ts) {
  return at_border(ts, [](Stepper& stepper) { stepper.forward_step(); });
}

PetscErrorCode adjoint_step(TS ts) {
  return at_border(ts, [](Stepper& stepper) { stepper.adjoint_step(); });
}

/// Integrals are found with the gradients.
PetscErrorCode adjoint_integral(TS) {
  return 0;
}

/// TSTrajectory asks for stages and takes none for an answer; programs use them without a look at their number.
PetscErrorCode get_stages(TS ts, PetscInt* count, Vec** stages) {
  PetscCheck(ts->trajectory, PetscObjectComm(reinterpret_cast<PetscObject>(ts)), PETSC_ERR_SUP,
             "TSGetStages: TS type rhumb is a multistep method and has no stages");
  if (count) *count = 0;
  if (stages) *stages = nullptr;
  return 0;
}

PetscErrorCode view(TS ts, PetscViewer viewer) {
  return at_border(ts, [=](Stepper& stepper) { stepper.view(viewer); });
}

PetscErrorCode set_from_options(TS ts, PetscOptionItems* items) {
  return read_settings(items, stepper_of(ts).settings);
}

PetscErrorCode reset(TS ts) {
  return at_border(ts, [](Stepper& stepper) { stepper.reset(); });
}

PetscErrorCode destroy(TS ts) {
  PetscCall(reset(ts));
  const std::unique_ptr<Stepper> last_owner(static_cast<Stepper*>(ts->data));
  ts->data = nullptr;
  return 0;
}

} // namespace

PetscErrorCode create_type(TS ts) {
  ts->ops->setup = set_up;
  ts->ops->step = step;
  ts->ops->rollback = roll_back;
  ts->ops->interpolate = interpolate;
  ts->ops->forwardintegral = integrate_cost;
  ts->ops->forwardsetup = set_up_forward;
  ts->ops->forwardstep = forward_step;
  ts->ops->adjointstep = adjoint_step;
  ts->ops->adjointintegral = adjoint_integral;
  ts->ops->getstages = get_stages;
  ts->ops->view = view;
  ts->ops->setfromoptions = set_from_options;
  ts->ops->reset = reset;
  ts->ops->destroy = destroy;
  ts->usessnes = PETSC_TRUE;
  ts->default_adapt_type = TSADAPTBASIC; // present, so that -ts_exact_final_time matchstep is allowed
  ts->data = std::make_unique<Stepper>(ts).release();
  return 0;
}

} // namespace rhumb::ts
