#include <rhumb/bdf/transposed.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::bdf {

using core::check;

namespace {
/// Of rtol: gradients are wanted to more digits than the solution has.
constexpr double part_of_tolerance = 1e-1, smallest_reduction = 1e-9, largest_reduction = 1e-5;
/// Of the right side: what rounding may leave with new factors, where GMRES goes no further.
constexpr double rest_of_rounding = 1e-7;
/// More iterations with factors of an earlier point cost more than new factors, in planes at least.
constexpr PetscInt max_extra_iterations = 8;
/// As in the run: a preconditioner made with another alpha is worth less (BCP 5.2.2).
constexpr double smallest_ratio = 0.6;
/// Of the largest entries: what a product with a constant may leave of rounding.
constexpr double rounding = 1e-12;

PetscInt rows_of(Mat matrix) {
  PetscInt rows = 0;
  check(MatGetSize(matrix, &rows, nullptr));
  return rows;
}
} // namespace

TransposedMatrix::TransposedMatrix(dae::GuardedSystem& system, const dae::Weights& weights, Vec model,
                                   const IntegratorOptions& options)
    : system_(system), weights_(weights), prefix_(options.prefix),
      reduction_(std::clamp(part_of_tolerance * options.tolerances.rtol, smallest_reduction, largest_reduction)),
      matrix_(system.system().create_matrix()), without_rates_(system.system().create_matrix()),
      residual_(core::same_layout(model)) {
  small_ = rows_of(matrix_) <= dae::small_system;
  if (!system.offers().jacobian) differences_ = std::make_unique<dae::ColouredJacobian>(system, matrix_);
}

void TransposedMatrix::evaluate(const LinearizationPoint& at, double alpha, Mat out) {
  ++matrices_;
  if (differences_)
    differences_->evaluate(at.t, at.y, at.ydot, alpha, residual_, weights_, out,
                           dae::ColouredJacobian::Increments::smallest);
  else
    system_.jacobian(at.t, at.y, at.ydot, alpha, out);
}

void TransposedMatrix::linearize(const LinearizationPoint& at, double alpha) {
  alpha_ = alpha;
  t_ = at.t;
  if (differences_) system_.residual(at.t, at.y, at.ydot, residual_);
  evaluate(at, 0.0, without_rates_);
  evaluate(at, alpha, matrix_);
  if (!system_.all_well())
    throw core::SolverGaveUp(
        fmt::format("the sweep back found no matrix at t = {:g}: {}", t_, system_.last_complaint()));
  fresh_ = false;
  const double ratio = alpha / alpha_of_setup_;
  if (small_ || (!factors_ && (ratio < smallest_ratio || ratio > 1.0 / smallest_ratio))) renew_ = true;
  if (transposed_) {
    Mat out = transposed_;
    check(MatTranspose(matrix_, MAT_REUSE_MATRIX, &out));
    // PETSc 3.18 would keep the inverse of its diagonal that smoothers have left there.
    check(MatAssemblyBegin(transposed_, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(transposed_, MAT_FINAL_ASSEMBLY));
  }
}

void TransposedMatrix::products(Vec v, Vec by_y, Vec by_rate) {
  check(MatMultTranspose(matrix_, v, by_rate));
  check(MatMultTranspose(without_rates_, v, by_y));
  check(VecAXPY(by_rate, -1.0, by_y));
  check(VecScale(by_rate, 1.0 / alpha_));
}

/// Fields of algebraic variables whose constants G maps to 0, and the first row of each.
void TransposedMatrix::find_free_constants(Vec model) {
  pinned_.emplace();
  const auto constant = core::same_layout(model), product = core::same_layout(model);
  dae::System& system = system_.system();
  PetscInt first = 0;
  PetscReal largest = 0.0, size = 0.0;
  check(VecGetOwnershipRange(model, &first, nullptr));
  check(MatNorm(matrix_, NORM_INFINITY, &largest));
  const auto fields = static_cast<int>(system.fields().size());
  for (int field = 0; field < fields; ++field)
    for (const dae::Kind kind : {dae::Kind::index2, dae::Kind::index1}) {
      PetscInt row = rows_of(matrix_);
      {
        const core::Writable values(constant);
        for (std::size_t i = values.size(); i-- > 0;) {
          const auto local = static_cast<PetscInt>(i);
          values[i] = system.field_of(local) == field && system.variable_kind(local) == kind ? 1.0 : 0.0;
          if (values[i] == 1.0) row = first + local;
        }
      }
      core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &row, 1, MPIU_INT, MPI_MIN, system_.comm()));
      if (row == rows_of(matrix_)) continue;
      check(MatMult(matrix_, constant, product));
      check(VecNorm(product, NORM_INFINITY, &size));
      if (size > rounding * largest) continue;
      pinned_->push_back(row);
      check(VecNormalize(constant, nullptr));
      check(VecCopy(constant, constants_.emplace_back(core::same_layout(model))));
    }
}

/// With c at one place of the diagonal the matrix is regular, and a solution of the changed system solves the given one:
/// for a constant e, e^T b = 0 and P e = c e_i say that x_i = 0.
void TransposedMatrix::pin_free_constants() {
  PetscInt first = 0, last = 0;
  check(MatGetOwnershipRange(factored_, &first, &last));
  check(MatSetOption(factored_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (const PetscInt row : *pinned_) {
    if (row < first || row >= last) continue;
    PetscInt count = 0;
    const PetscScalar* values = nullptr;
    double square = 0.0;
    check(MatGetRow(matrix_, row, &count, nullptr, &values));
    for (PetscInt i = 0; i < count; ++i) square += values[i] * values[i];
    check(MatRestoreRow(matrix_, row, &count, nullptr, &values));
    check(MatSetValue(factored_, row, row, -square / std::abs(alpha_), ADD_VALUES));
  }
  check(MatAssemblyBegin(factored_, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(factored_, MAT_FINAL_ASSEMBLY));
}

/// What x leaves of b, over b.
double TransposedMatrix::rest(Vec b, Vec x) {
  double left = 0.0, given = 0.0;
  check(MatMultTranspose(matrix_, x, residual_));
  check(VecAXPY(residual_, -1.0, b));
  check(VecNorm(residual_, NORM_2, &left));
  check(VecNorm(b, NORM_2, &given));
  return left / given;
}

bool TransposedMatrix::try_solve(Vec b, Vec x) {
  if (renew_ && !renew()) return false;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  double size = 0.0;
  check(factors_ ? KSPSolveTranspose(solver_, b, x) : KSPSolve(solver_, b, x));
  check(KSPGetConvergedReason(solver_, &reason));
  check(KSPGetIterationNumber(solver_, &iterations));
  check(VecNorm(x, NORM_1, &size));
  if (!small_) iterations_ += iterations;
  if (fresh_) iterations_when_fresh_ = iterations;
  if (iterations > max_extra_iterations + (factors_ ? 0 : iterations_when_fresh_) && !fresh_) renew_ = true;
  return std::isfinite(size) && (reason > 0 || (fresh_ && rest(b, x) <= rest_of_rounding));
}

bool TransposedMatrix::try_with_new_ones(Vec b, Vec x) {
  if (fresh_) return false;
  renew_ = true;
  check(VecSet(x, 0.0));
  return try_solve(b, x);
}

void TransposedMatrix::solve(Vec b, Vec x) {
  double size = 0.0;
  check(VecNorm(b, NORM_1, &size));
  if (size == 0.0) {
    check(VecSet(x, 0.0));
    return;
  }
  const bool prepared = !renew_ || renew();
  for (const auto& constant : constants_) { // rounding alone keeps b from the range of G^T
    double part = 0.0;
    check(VecDot(b, constant, &part));
    check(VecAXPY(b, -part, constant));
  }
  if (prepared && (try_solve(b, x) || try_with_new_ones(b, x))) return;
  if (!factors_) {
    use_factors();
    if (try_with_new_ones(b, x)) return;
  }
  throw core::SolverGaveUp(fmt::format("the sweep back cannot solve with the transposed matrix at t = {:g}{}", t_,
                                       prepared ? "" : ": it is singular"));
}

} // namespace rhumb::bdf
