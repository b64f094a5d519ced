#include <rhumb/ts/system.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/petsc_private.hpp>
#include <rhumb/ts/equations.hpp>
#include <rhumb/ts/settings.hpp>
#include <cmath>
#include <fmt/format.h>
#include <petscdmshell.h>

namespace rhumb::ts {

using core::check;

namespace {

core::MatHandle share(Mat matrix) {
  check(PetscObjectReference(reinterpret_cast<PetscObject>(matrix)));
  return core::MatHandle(matrix);
}

std::vector<dae::Field> fields_of(Vec model) {
  PetscInt block = 1;
  check(VecGetBlockSize(model, &block));
  if (block == 1) return {{.name = "u"}};
  std::vector<dae::Field> fields;
  for (PetscInt i = 0; i < block; ++i) fields.push_back({.name = fmt::format("u{}", i)});
  return fields;
}

} // namespace

TsSystem::TsSystem(TS ts) : ts_(ts), fields_(fields_of(ts->vec_sol)) {
  find_parameters();
  PetscBool transient = PETSC_FALSE;
  check(TSHasTransientVariable(ts, &transient));
  transient_variables_ = transient == PETSC_TRUE;
  if (!transient_variables_) return;
  for (auto* v : {&transient_, &transient_ahead_, &transient_behind_}) *v = core::same_layout(ts->vec_sol);
}

core::VecHandle TsSystem::create_vector() const {
  return core::same_layout(ts_->vec_sol);
}

void TsSystem::initial_values(double, Vec y, Vec ydot) {
  check(VecCopy(ts_->vec_sol, y));
  check(VecZeroEntries(ydot));
  for (std::size_t i = 0; i < initial_by_parameter_.size(); ++i)
    if (distance_[i] != 0.0) check(VecAXPY(y, distance_[i], initial_by_parameter_[i]));
}

void TsSystem::residual(double t, Vec y, Vec ydot, Vec residual) {
  ++residual_evals_;
  reject_outside_domain(t, y);
  check(TSComputeIFunction(ts_, t, y, rate(t, y, ydot), residual, PETSC_FALSE));
  if (ts_->snes && ts_->snes->domainerror) {
    ts_->snes->domainerror = PETSC_FALSE;
    throw core::Recoverable("SNESSetFunctionDomainError was called");
  }
  for (std::size_t i = 0; i < distance_.size(); ++i) {
    if (distance_[i] == 0.0) continue;
    parameter_derivative(t, y, ydot, i, parameter_sum_);
    check(VecAXPY(residual, distance_[i], parameter_sum_));
  }
}

void TsSystem::find_parameters() {
  PetscInt count = 0;
  if (ts_->forward_solve)
    check(MatGetSize(ts_->mat_sensip, nullptr, &count));
  else if (ts_->rhsjacobianp && ts_->Jacprhs)
    check(MatGetSize(ts_->Jacprhs, nullptr, &count));
  else if (ts_->ijacobianp && ts_->Jacp)
    check(MatGetSize(ts_->Jacp, nullptr, &count));
  distance_.assign(static_cast<std::size_t>(count), 0.0);
  if (count == 0) return;
  parameter_column_ = create_vector();
  parameter_sum_ = create_vector();
  for (PetscInt i = 0; ts_->forward_solve && i < count; ++i)
    check(MatGetColumnVector(ts_->mat_sensip, initial_by_parameter_.emplace_back(create_vector()), i));
}

std::vector<dae::Parameter> TsSystem::parameters() const {
  std::vector<dae::Parameter> out;
  for (std::size_t i = 0; i < distance_.size(); ++i)
    out.push_back({.name = fmt::format("p{}", i), .value = distance_[i]});
  return out;
}

/// Columns that neither Jacobian has belong to initial values.
bool TsSystem::parameter_derivative(double t, Vec y, Vec ydot, std::size_t index, Vec out) {
  const auto column = static_cast<PetscInt>(index);
  const auto add = [&](Mat by_parameters, double sign) {
    PetscInt count = 0;
    check(MatGetSize(by_parameters, nullptr, &count));
    if (column >= count) return;
    check(MatGetColumnVector(by_parameters, parameter_column_, column));
    check(VecAXPY(out, sign, parameter_column_));
  };
  check(VecZeroEntries(out));
  if (ts_->ijacobianp && ts_->Jacp) {
    check(TSComputeIJacobianP(ts_, t, y, rate(t, y, ydot), 0.0, ts_->Jacp, PETSC_TRUE));
    add(ts_->Jacp, 1.0);
  }
  if (ts_->rhsjacobianp && ts_->Jacprhs) {
    check(TSComputeRHSJacobianP(ts_, t, y, ts_->Jacprhs));
    add(ts_->Jacprhs, -1.0);
  }
  return true;
}

void TsSystem::reject_outside_domain(double t, Vec y) {
  PetscBool inside = PETSC_TRUE;
  check(TSFunctionDomainError(ts_, t, y, &inside));
  if (!inside) throw core::Recoverable("the function of TSSetFunctionDomainError refuses the state");
}

Vec TsSystem::rate(double, Vec y, Vec ydot) {
  if (!transient_variables_) return ydot;
  // cdot = (c(u + e udot) - c(u - e udot)) / 2e, with e udot about u^(1/3) of u.
  PetscReal size = 0.0, speed = 0.0;
  check(VecNormBegin(y, NORM_2, &size));
  check(VecNormBegin(ydot, NORM_2, &speed));
  check(VecNormEnd(y, NORM_2, &size));
  check(VecNormEnd(ydot, NORM_2, &speed));
  if (speed == 0.0) {
    check(VecZeroEntries(transient_));
    return transient_;
  }
  const double e = std::cbrt(PETSC_MACHINE_EPSILON) * (size > 0.0 ? size : 1.0) / speed;
  check(VecWAXPY(transient_, e, ydot, y));
  check(TSComputeTransientVariable(ts_, transient_, transient_ahead_));
  check(VecWAXPY(transient_, -e, ydot, y));
  check(TSComputeTransientVariable(ts_, transient_, transient_behind_));
  check(VecWAXPY(transient_, -1.0, transient_behind_, transient_ahead_));
  check(VecScale(transient_, 0.5 / e));
  return transient_;
}

bool TsSystem::has_jacobian() const {
  if (option_given(ts_, "-snes_fd") || option_given(ts_, "-snes_fd_color")) return false;
  const TsEquations e = equations_of(ts_);
  // TSComputeRHSFunctionLinear fills the program's matrix in every residual: it cannot be ours between them.
  if (e.rhs_function == TSComputeRHSFunctionLinear && e.rhs_jacobian != TSComputeRHSJacobianConstant) return false;
  return (e.ijacobian || !e.ifunction) && (e.rhs_jacobian || !e.rhs_function) && (e.ijacobian || e.rhs_jacobian);
}

dae::Offers TsSystem::offers() const {
  dae::Offers offers{.jacobian = has_jacobian()};
  Mat action = nullptr, matrix = nullptr;
  if (offers.jacobian && ts_->snes) check(SNESGetJacobian(ts_->snes, &action, &matrix, nullptr, nullptr));
  offers.product = action && action != matrix;
  return offers;
}

dae::Kind TsSystem::variable_kind(PetscInt local) const {
  return kinds_.variable.empty() ? dae::Kind::differential : kinds_.variable[local];
}
dae::Kind TsSystem::equation_kind(PetscInt local) const {
  return kinds_.equation.empty() ? dae::Kind::differential : kinds_.equation[local];
}

/// The program's own at first: it is the one that steps are solved with. Derivatives need others.
core::MatHandle TsSystem::create_matrix() const {
  if (matrix_) return copy_of_matrix();
  Mat action = nullptr, matrix = nullptr;
  if (has_jacobian()) {
    SNES snes = nullptr;
    check(TSGetSNES(ts_, &snes));
    check(SNESGetJacobian(snes, &action, &matrix, nullptr, nullptr));
    if (!matrix) matrix = action;
  }
  matrix_ = matrix ? share(matrix) : matrix_of_dm();
  operator_ = action ? share(action) : share(matrix_);
  return share(matrix_);
}

core::MatHandle TsSystem::copy_of_matrix() const {
  PetscBool has_copies = PETSC_FALSE;
  check(MatHasOperation(matrix_, MATOP_DUPLICATE, &has_copies));
  if (!has_copies) return share(matrix_);
  core::MatHandle copy;
  check(MatDuplicate(matrix_, MAT_DO_NOT_COPY_VALUES, copy.out()));
  return copy;
}

core::MatHandle TsSystem::matrix_of_dm() const {
  PetscBool shell = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ts_->dm), DMSHELL, &shell));
  if (shell) return System::create_matrix();
  core::MatHandle matrix;
  check(DMCreateMatrix(ts_->dm, matrix.out()));
  return matrix;
}

void TsSystem::jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) {
  // The user's matrix may get entries that it did not have before.
  check(MatSetOption(jacobian, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
  const bool one_matrix = operator_.get() == matrix_.get();
  check(TSComputeIJacobian(ts_, t, y, rate(t, y, ydot), alpha, one_matrix ? jacobian : operator_.get(), jacobian,
                           PETSC_FALSE));
  operator_time_ = t;
  operator_alpha_ = alpha;
  if (!one_matrix && !unused_) unused_ = copy_of_matrix();
}

/// With the user's operator, renewed once a step. Its Jacobian fills Pmat as well, from which the preconditioner was
/// made (in whose place its factors may even stand) that this solve and later ones use: it is given another matrix.
void TsSystem::product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec product) {
  if (t != operator_time_ || alpha != operator_alpha_) {
    ++product_evals_;
    jacobian(t, y, ydot, alpha, unused_);
  }
  check(MatMult(operator_, v, product));
}

void TsSystem::configure(PC preconditioner, Mat matrix) const {
  if (user_preconditioner_.adopt(ts_, preconditioner, operator_, matrix)) return;
  System::configure(preconditioner, matrix);
}

} // namespace rhumb::ts
