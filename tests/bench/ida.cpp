/// Small DAEs solved by SUNDIALS IDA, to count what it needs:
///   bench_ida robertson|pendulum RTOL ATOL...
/// prints one line of t and y per output time, then the number of steps and of residual evaluations.

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <ida/ida.h>
#include <memory>
#include <nvector/nvector_serial.h>
#include <stdexcept>
#include <string>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <vector>

namespace {

void check(int code, const char* what) {
  if (code < 0) throw std::runtime_error(std::string(what) + " failed with " + std::to_string(code));
}

struct Problem {
  std::vector<double> y0, ydot0, differential, times;
  IDAResFn residual;
  IDALsJacFn jacobian;
  bool algebraic_in_error_test;
};

int robertson_residual(double, N_Vector y_, N_Vector ydot_, N_Vector f_, void*) {
  const double *y = N_VGetArrayPointer(y_), *ydot = N_VGetArrayPointer(ydot_);
  double* f = N_VGetArrayPointer(f_);
  f[0] = ydot[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
  f[1] = ydot[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
  f[2] = y[0] + y[1] + y[2] - 1.0;
  return 0;
}

int robertson_jacobian(double, double alpha, N_Vector y_, N_Vector, N_Vector, SUNMatrix g, void*, N_Vector, N_Vector,
                       N_Vector) {
  const double* y = N_VGetArrayPointer(y_);
  const std::array<std::array<double, 3>, 3> rows{{{alpha + 0.04, -1e4 * y[2], -1e4 * y[1]},
                                                   {-0.04, alpha + 1e4 * y[2] + 6e7 * y[1], 1e4 * y[1]},
                                                   {1.0, 1.0, 1.0}}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) SM_ELEMENT_D(g, i, j) = rows[i][j];
  return 0;
}

Problem robertson() {
  Problem problem{{1, 0, 0}, {-0.04, 0.04, 0}, {1, 1, 0}, {}, robertson_residual, robertson_jacobian, true};
  for (int k = 0; k <= 11; ++k) problem.times.push_back(0.4 * std::pow(10.0, k));
  return problem;
}

/// BCP (6.2.9) with (6.2.11), L = 1, g = -1.
int pendulum_residual(double, N_Vector z_, N_Vector zdot_, N_Vector f_, void*) {
  const double *z = N_VGetArrayPointer(z_), *zdot = N_VGetArrayPointer(zdot_);
  double* f = N_VGetArrayPointer(f_);
  f[0] = zdot[0] - z[2];
  f[1] = zdot[1] - z[3];
  f[2] = zdot[2] + z[0] * z[4];
  f[3] = zdot[3] + z[1] * z[4] - 1.0;
  f[4] = z[2] * z[2] + z[3] * z[3] - z[4] + z[1];
  return 0;
}

int pendulum_jacobian(double, double alpha, N_Vector z_, N_Vector, N_Vector, SUNMatrix g, void*, N_Vector, N_Vector,
                      N_Vector) {
  const double* z = N_VGetArrayPointer(z_);
  SUNMatZero(g);
  for (int i = 0; i < 4; ++i) SM_ELEMENT_D(g, i, i) = alpha;
  SM_ELEMENT_D(g, 0, 2) = SM_ELEMENT_D(g, 1, 3) = SM_ELEMENT_D(g, 4, 4) = -1.0;
  SM_ELEMENT_D(g, 2, 0) = SM_ELEMENT_D(g, 3, 1) = z[4];
  SM_ELEMENT_D(g, 2, 4) = z[0];
  SM_ELEMENT_D(g, 3, 4) = z[1];
  SM_ELEMENT_D(g, 4, 1) = 1.0;
  SM_ELEMENT_D(g, 4, 2) = 2.0 * z[2];
  SM_ELEMENT_D(g, 4, 3) = 2.0 * z[3];
  return 0;
}

Problem pendulum() {
  return {{1, 0, 0, 1, 1}, {0, 1, -1, 1, 0}, {1, 1, 1, 1, 0}, {1.0}, pendulum_residual, pendulum_jacobian, false};
}

using Vector = std::unique_ptr<_generic_N_Vector, decltype(&N_VDestroy)>;

Vector vector_of(const std::vector<double>& values, SUNContext context) {
  Vector result(N_VNew_Serial(static_cast<sunindextype>(values.size()), context), N_VDestroy);
  for (std::size_t i = 0; i < values.size(); ++i) N_VGetArrayPointer(result.get())[i] = values[i];
  return result;
}

void solve(const Problem& problem, double rtol, std::vector<double> atol, SUNContext context) {
  atol.resize(problem.y0.size(), atol.back());
  const auto y = vector_of(problem.y0, context), ydot = vector_of(problem.ydot0, context);
  const auto id = vector_of(problem.differential, context), tolerances = vector_of(atol, context);
  const auto size = static_cast<sunindextype>(problem.y0.size());
  const std::unique_ptr<_generic_SUNMatrix, decltype(&SUNMatDestroy)> matrix(SUNDenseMatrix(size, size, context),
                                                                             SUNMatDestroy);
  const std::unique_ptr<_generic_SUNLinearSolver, decltype(&SUNLinSolFree)> solver(
      SUNLinSol_Dense(y.get(), matrix.get(), context), SUNLinSolFree);
  const auto free = [](void* memory) { IDAFree(&memory); };
  const std::unique_ptr<void, decltype(free)> owner(IDACreate(context), free);
  void* ida = owner.get();
  check(IDAInit(ida, problem.residual, 0.0, y.get(), ydot.get()), "IDAInit");
  check(IDASVtolerances(ida, rtol, tolerances.get()), "IDASVtolerances");
  check(IDASetLinearSolver(ida, solver.get(), matrix.get()), "IDASetLinearSolver");
  check(IDASetJacFn(ida, problem.jacobian), "IDASetJacFn");
  check(IDASetId(ida, id.get()), "IDASetId");
  check(IDASetSuppressAlg(ida, problem.algebraic_in_error_test ? SUNFALSE : SUNTRUE), "IDASetSuppressAlg");
  check(IDASetMaxNumSteps(ida, 1'000'000), "IDASetMaxNumSteps");
  for (const double time : problem.times) {
    double reached = 0.0;
    check(IDASolve(ida, time, &reached, y.get(), ydot.get(), IDA_NORMAL), "IDASolve");
    std::printf("%.17g", reached);
    for (sunindextype i = 0; i < size; ++i) std::printf(" %.17g", N_VGetArrayPointer(y.get())[i]);
    std::printf("\n");
  }
  long steps = 0, residuals = 0, in_matrices = 0;
  check(IDAGetNumSteps(ida, &steps), "IDAGetNumSteps");
  check(IDAGetNumResEvals(ida, &residuals), "IDAGetNumResEvals");
  check(IDAGetNumLinResEvals(ida, &in_matrices), "IDAGetNumLinResEvals");
  std::printf("%ld %ld\n", steps, residuals + in_matrices);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: bench_ida robertson|pendulum RTOL ATOL...\n");
    return 2;
  }
  try {
    std::vector<double> atol;
    for (int i = 3; i < argc; ++i) atol.push_back(std::atof(argv[i]));
    SUNContext context = nullptr;
    check(SUNContext_Create(nullptr, &context), "SUNContext_Create");
    solve(std::string(argv[1]) == "robertson" ? robertson() : pendulum(), std::atof(argv[2]), atol, context);
    check(SUNContext_Free(&context), "SUNContext_Free");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_ida: %s\n", error.what());
    return 1;
  }
}
