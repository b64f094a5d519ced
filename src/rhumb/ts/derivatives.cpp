#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/petsc_private.hpp>
#include <rhumb/ts/stepper.hpp>
#include <fmt/format.h>

/// TSForward and TSAdjoint, on the sensitivities and the sweep back of the integrator. The parameters of the TS are
/// columns of TSSetIJacobianP and TSSetRHSJacobianP.

namespace rhumb::ts {

using core::check;

namespace {
/// The owner's value, on all ranks.
double entry_of(Vec v, PetscInt index) {
  PetscInt first = 0, last = 0;
  double value = 0.0;
  check(VecGetOwnershipRange(v, &first, &last));
  if (index >= first && index < last) check(VecGetValues(v, 1, &index, &value));
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, PetscObjectComm(reinterpret_cast<PetscObject>(v))));
  return value;
}

void add_to_entry(Vec v, PetscInt index, double value) {
  PetscInt first = 0, last = 0;
  check(VecGetOwnershipRange(v, &first, &last));
  if (index >= first && index < last) check(VecSetValue(v, index, value, ADD_VALUES));
  check(VecAssemblyBegin(v));
  check(VecAssemblyEnd(v));
}

/// Cost `which` of TSCreateQuadratureTS as an integral up to t.
bdf::AdjointIntegral integral_of(TS ts, PetscInt which, double t) {
  TS cost = ts->quadraturets;
  const auto jacobian = [cost](double at, Vec y) {
    Mat action = nullptr, matrix = nullptr;
    check(TSGetRHSJacobian(cost, &action, &matrix, nullptr, nullptr));
    check(TSComputeRHSJacobian(cost, at, y, action, matrix));
    return action;
  };
  bdf::AdjointIntegral out{.t_end = t};
  out.value = [ts, cost, which](double at, Vec y, Vec) {
    check(TSComputeRHSFunction(cost, at, y, ts->vec_costintegrand));
    return entry_of(ts->vec_costintegrand, which);
  };
  out.gradient = [jacobian, which](double at, Vec y, Vec, Vec by_y) {
    check(MatGetColumnVector(jacobian(at, y), by_y, which));
  };
  if (!cost->rhsjacobianp) return out;
  out.by_parameters = [cost, which](double at, Vec y, Vec) {
    check(TSComputeRHSJacobianP(cost, at, y, cost->Jacprhs));
    PetscInt count = 0;
    core::VecHandle column;
    check(MatGetSize(cost->Jacprhs, &count, nullptr));
    check(MatCreateVecs(cost->Jacprhs, nullptr, column.out()));
    check(MatGetColumnVector(cost->Jacprhs, column, which));
    std::vector<double> values;
    for (PetscInt i = 0; i < count; ++i) values.push_back(entry_of(column, i));
    return values;
  };
  return out;
}
} // namespace

void Stepper::set_up_forward() {
  if (ts_->quadraturets && ts_->quadraturets->mat_sensip)
    throw core::BadInput("TS type rhumb has no sensitivities of integrals: nearest: an equation q' = r of their own");
}

void Stepper::forward_step() {
  const auto column = core::same_layout(ts_->vec_sol);
  for (std::size_t i = 0; i < integrator_->sensitivities(); ++i) {
    const bool at_end = ts_->ptime >= integrator_->previous_time();
    if (!at_end) throw core::BadInput("TS type rhumb: sensitivities are known in the last step of the integrator only");
    Vec out = nullptr;
    integrator_->interpolate_sensitivity(i, ts_->ptime, column, nullptr);
    check(MatDenseGetColumnVecWrite(ts_->mat_sensip, static_cast<PetscInt>(i), &out));
    check(VecCopy(column, out));
    check(MatDenseRestoreColumnVecWrite(ts_->mat_sensip, static_cast<PetscInt>(i), &out));
  }
}

/// All of the sweep belongs to the first step back; the others have nothing left to do.
void Stepper::adjoint_step() {
  if (ts_->adjoint_steps == 0) sweep_back();
}

void Stepper::sweep_back() {
  if (!integrator_ || !integrator_recorded())
    throw core::BadInput("TSAdjointSolve: no steps are recorded; call TSSetSaveTrajectory before TSSolve");
  // TSAdjointStep has counted this step already.
  const PetscInt taken = ts_->steps + 1 - begin_step_;
  if (begin_step_ != 0 || ts_->adjoint_max_steps != taken)
    throw core::BadInput(fmt::format("TSAdjointSolve: TS type rhumb sweeps back over all steps of a solution that "
                                     "began once: {} steps asked for, {} taken since the integration began at step {}",
                                     ts_->adjoint_max_steps, taken, begin_step_));
  std::vector<bdf::Functional> costs;
  for (PetscInt i = 0; i < ts_->numcost; ++i) {
    bdf::Functional cost;
    bdf::AdjointSeed seed{known_time_, core::same_layout(ts_->vec_sol), {}};
    check(VecCopy(ts_->vecs_sensi[i], seed.by_y));
    cost.seeds.push_back(std::move(seed));
    if (ts_->quadraturets) cost.integrals.push_back(integral_of(ts_, i, known_time_));
    costs.push_back(std::move(cost));
  }
  std::vector<std::size_t> parameters(ts_->vecs_sensip ? system_->parameters().size() : 0);
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] = i;
  const auto gradients = integrator_->gradients(std::move(costs), parameters);
  for (PetscInt i = 0; i < ts_->numcost; ++i) {
    const auto& gradient = gradients[static_cast<std::size_t>(i)];
    check(VecCopy(gradient.by_initial_values, ts_->vecs_sensi[i]));
    for (std::size_t p = 0; p < parameters.size(); ++p)
      add_to_entry(ts_->vecs_sensip[i], static_cast<PetscInt>(p), gradient.by_parameter[p]);
    if (ts_->quadraturets && !ts_->costintegralfwd)
      add_to_entry(ts_->quadraturets->vec_sol, i, gradient.integrals.front());
  }
}

} // namespace rhumb::ts
