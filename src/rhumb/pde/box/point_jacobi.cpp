#include <rhumb/pde/box/point_jacobi.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/guard.hpp>
#include <rhumb/core/vector_loop.hpp>
#include <memory>

namespace rhumb::box {

using core::check;
using core::guard;

namespace {

struct PointJacobi {
  double damping = 1.0;
  PetscInt fields = 1;
  const double* inverse = nullptr; ///< of D's blocks, each by columns; the matrix keeps it
};

PointJacobi& of(PC pc) {
  void* context = nullptr;
  check(PCShellGetContext(pc, &context));
  return *static_cast<PointJacobi*>(context);
}

/// update(i, omega (D^-1 r)_i) for all entries, r_i being residual(i).
template <class Residual, class Update>
void solve_points(const PointJacobi& jacobi, PetscInt size, const Residual& residual, const Update& update) {
  const double damping = jacobi.damping;
  const double* const inverse = jacobi.inverse;
  if (jacobi.fields == 1) {
    core::vector_loop(size, [=](PetscInt i) RHUMB_INLINE_LAMBDA { update(i, damping * (inverse[i] * residual(i))); });
    return;
  }
  const PetscInt fields = jacobi.fields;
  for (PetscInt first = 0; first < size; first += fields)
    for (PetscInt row = 0; row < fields; ++row) {
      double sum = 0.0;
      for (PetscInt column = 0; column < fields; ++column)
        sum += inverse[first * fields + column * fields + row] * residual(first + column);
      update(first + row, damping * sum);
    }
}

/// x = omega D^-1 b
void begin(const PointJacobi& jacobi, Vec b, Vec x) {
  const core::Readable right(b);
  const core::Writable out(x);
  solve_points(
      jacobi, static_cast<PetscInt>(right.size()),
      [from = right.begin()](PetscInt i) RHUMB_INLINE_LAMBDA { return from[i]; },
      [to = out.begin()](PetscInt i, double value) RHUMB_INLINE_LAMBDA { to[i] = value; });
}

/// x += omega D^-1 (b - product)
void go_on(const PointJacobi& jacobi, Vec b, Vec product, Vec x) {
  const core::Readable right(b), made(product);
  const core::Writable out(x);
  solve_points(
      jacobi, static_cast<PetscInt>(right.size()),
      [from = right.begin(), less = made.begin()](PetscInt i) RHUMB_INLINE_LAMBDA { return from[i] - less[i]; },
      [to = out.begin()](PetscInt i, double value) RHUMB_INLINE_LAMBDA { to[i] += value; });
}

PetscErrorCode set_up(PC pc) {
  return guard([&] {
    Mat matrix = nullptr, blocks = nullptr;
    MatFactorError singular = MAT_FACTOR_NOERROR;
    check(PCGetOperators(pc, nullptr, &matrix));
    check(MatGetDiagonalBlock(matrix, &blocks));
    check(MatGetBlockSize(blocks, &of(pc).fields));
    check(MatFactorClearError(blocks));
    check(MatInvertBlockDiagonal(blocks, &of(pc).inverse));
    check(MatFactorGetError(blocks, &singular));
    check(PCSetFailedReason(pc, singular == MAT_FACTOR_NOERROR ? PC_NOERROR : PC_FACTOR_NUMERIC_ZEROPIVOT));
  });
}

PetscErrorCode apply(PC pc, Vec b, Vec x) {
  return guard([&] { begin(of(pc), b, x); });
}

PetscErrorCode apply_steps(PC pc, Vec b, Vec x, Vec product, PetscReal, PetscReal, PetscReal, PetscInt steps,
                           PetscBool from_zero, PetscInt* made, PCRichardsonConvergedReason* reason) {
  return guard([&] {
    Mat matrix = nullptr;
    check(PCGetOperators(pc, &matrix, nullptr));
    for (PetscInt step = 0; step < steps; ++step)
      if (step == 0 && from_zero) {
        begin(of(pc), b, x);
      } else {
        check(MatMult(matrix, x, product));
        go_on(of(pc), b, product, x);
      }
    *made = steps;
    *reason = PCRICHARDSON_CONVERGED_ITS;
  });
}

PetscErrorCode destroy(PC pc) {
  return guard([&] { const std::unique_ptr<PointJacobi> jacobi(&of(pc)); });
}

} // namespace

void set_point_jacobi(PC pc, double damping) {
  check(PCSetType(pc, PCSHELL));
  check(PCShellSetName(pc, "damped Jacobi by points"));
  check(PCShellSetContext(pc, std::make_unique<PointJacobi>(PointJacobi{.damping = damping}).release()));
  check(PCShellSetDestroy(pc, destroy));
  check(PCShellSetSetUp(pc, set_up));
  check(PCShellSetApply(pc, apply));
  check(PCShellSetApplyRichardson(pc, apply_steps));
}

} // namespace rhumb::box
