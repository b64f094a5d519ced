/// Robertson's kinetics with forward sensitivities by SUNDIALS IDAS, to count what it needs:
///   bench_idas staggered|simultaneous inside|outside RTOL ATOL1 ATOL2 ATOL3
/// prints one line of t and dy/dp (by parameter, then by variable) per output time, then the numbers of steps, of
/// residuals and of sensitivity residuals per parameter.

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <idas/idas.h>
#include <memory>
#include <nvector/nvector_serial.h>
#include <stdexcept>
#include <string>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

namespace {

constexpr int parameters = 3;
using Parameters = std::array<double, parameters>;

void check(int code, const char* what) {
  if (code < 0) throw std::runtime_error(std::string(what) + " failed with " + std::to_string(code));
}

int residual(double, N_Vector y_, N_Vector ydot_, N_Vector f_, void* data) {
  const auto& p = *static_cast<const Parameters*>(data);
  const double *y = N_VGetArrayPointer(y_), *ydot = N_VGetArrayPointer(ydot_);
  double* f = N_VGetArrayPointer(f_);
  f[0] = ydot[0] + p[0] * y[0] - p[1] * y[1] * y[2];
  f[1] = ydot[1] - p[0] * y[0] + p[1] * y[1] * y[2] + p[2] * y[1] * y[1];
  f[2] = y[0] + y[1] + y[2] - 1.0;
  return 0;
}

int jacobian(double, double alpha, N_Vector y_, N_Vector, N_Vector, SUNMatrix g, void* data, N_Vector, N_Vector,
             N_Vector) {
  const auto& p = *static_cast<const Parameters*>(data);
  const double* y = N_VGetArrayPointer(y_);
  const double rows[3][3] = {{alpha + p[0], -p[1] * y[2], -p[1] * y[1]},
                             {-p[0], alpha + p[1] * y[2] + 2.0 * p[2] * y[1], p[1] * y[1]},
                             {1.0, 1.0, 1.0}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) SM_ELEMENT_D(g, i, j) = rows[i][j];
  return 0;
}

/// F_y s + F_y' s' + F_p of each parameter.
int sensitivity_residual(int, double, N_Vector y_, N_Vector, N_Vector, N_Vector* s_, N_Vector* sdot_, N_Vector* f_,
                         void* data, N_Vector, N_Vector, N_Vector) {
  const auto& p = *static_cast<const Parameters*>(data);
  const double* y = N_VGetArrayPointer(y_);
  const double by_parameter[3][2] = {{y[0], -y[0]}, {-y[1] * y[2], y[1] * y[2]}, {0.0, y[1] * y[1]}};
  for (int i = 0; i < parameters; ++i) {
    const double *s = N_VGetArrayPointer(s_[i]), *sdot = N_VGetArrayPointer(sdot_[i]);
    double* f = N_VGetArrayPointer(f_[i]);
    f[0] = sdot[0] + p[0] * s[0] - p[1] * (y[2] * s[1] + y[1] * s[2]) + by_parameter[i][0];
    f[1] = sdot[1] - p[0] * s[0] + p[1] * (y[2] * s[1] + y[1] * s[2]) + 2.0 * p[2] * y[1] * s[1] + by_parameter[i][1];
    f[2] = s[0] + s[1] + s[2];
  }
  return 0;
}

using Vector = std::unique_ptr<_generic_N_Vector, decltype(&N_VDestroy)>;

Vector vector_of(const std::array<double, 3>& values, SUNContext context) {
  Vector result(N_VNew_Serial(3, context), N_VDestroy);
  for (std::size_t i = 0; i < 3; ++i) N_VGetArrayPointer(result.get())[i] = values[i];
  return result;
}

struct Request {
  int method = IDA_STAGGERED;
  bool in_error_test = true;
  double rtol = 1e-4;
  std::array<double, 3> atol{};
};

void print_counts(void* ida) {
  long steps = 0, residuals = 0, sensitivity_residuals = 0;
  check(IDAGetNumSteps(ida, &steps), "IDAGetNumSteps");
  check(IDAGetNumResEvals(ida, &residuals), "IDAGetNumResEvals");
  check(IDAGetSensNumResEvals(ida, &sensitivity_residuals), "IDAGetSensNumResEvals");
  std::printf("%ld %ld %ld\n", steps, residuals, sensitivity_residuals);
}

void integrate(void* ida, N_Vector y, N_Vector ydot, N_Vector* s) {
  for (int k = 0; k <= 11; ++k) {
    double reached = 0.0, at = 0.0;
    check(IDASolve(ida, 0.4 * std::pow(10.0, k), &reached, y, ydot, IDA_NORMAL), "IDASolve");
    check(IDAGetSens(ida, &at, s), "IDAGetSens");
    std::printf("%.17g", reached);
    for (int i = 0; i < parameters; ++i)
      for (int j = 0; j < 3; ++j) std::printf(" %.17g", N_VGetArrayPointer(s[i])[j]);
    std::printf("\n");
  }
}

void solve(const Request& request, SUNContext context) {
  Parameters p{0.04, 1e4, 3e7}, sizes = p;
  const auto y = vector_of({1, 0, 0}, context), ydot = vector_of({-0.04, 0.04, 0}, context);
  const auto id = vector_of({1, 1, 0}, context), atol = vector_of(request.atol, context);
  const std::unique_ptr<_generic_SUNMatrix, decltype(&SUNMatDestroy)> matrix(SUNDenseMatrix(3, 3, context),
                                                                             SUNMatDestroy);
  const std::unique_ptr<_generic_SUNLinearSolver, decltype(&SUNLinSolFree)> solver(
      SUNLinSol_Dense(y.get(), matrix.get(), context), SUNLinSolFree);
  const auto free = [](void* memory) { IDAFree(&memory); };
  const std::unique_ptr<void, decltype(free)> owner(IDACreate(context), free);
  void* ida = owner.get();
  check(IDAInit(ida, residual, 0.0, y.get(), ydot.get()), "IDAInit");
  check(IDASetUserData(ida, &p), "IDASetUserData");
  check(IDASVtolerances(ida, request.rtol, atol.get()), "IDASVtolerances");
  check(IDASetLinearSolver(ida, solver.get(), matrix.get()), "IDASetLinearSolver");
  check(IDASetJacFn(ida, jacobian), "IDASetJacFn");
  check(IDASetId(ida, id.get()), "IDASetId");
  check(IDASetMaxNumSteps(ida, 1'000'000), "IDASetMaxNumSteps");
  N_Vector* s = N_VCloneVectorArray(parameters, y.get());
  N_Vector* sdot = N_VCloneVectorArray(parameters, y.get());
  for (int i = 0; i < parameters; ++i) N_VConst(0.0, s[i]), N_VConst(0.0, sdot[i]);
  N_VGetArrayPointer(sdot[0])[0] = -1.0;
  N_VGetArrayPointer(sdot[0])[1] = 1.0;
  check(IDASensInit(ida, parameters, request.method, sensitivity_residual, s, sdot), "IDASensInit");
  check(IDASetSensParams(ida, p.data(), sizes.data(), nullptr), "IDASetSensParams");
  check(IDASensEEtolerances(ida), "IDASensEEtolerances");
  check(IDASetSensErrCon(ida, request.in_error_test ? SUNTRUE : SUNFALSE), "IDASetSensErrCon");
  integrate(ida, y.get(), ydot.get(), s);
  print_counts(ida);
  N_VDestroyVectorArray(s, parameters);
  N_VDestroyVectorArray(sdot, parameters);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "bench_idas staggered|simultaneous inside|outside RTOL ATOL1 ATOL2 ATOL3\n");
    return 2;
  }
  try {
    SUNContext context = nullptr;
    check(SUNContext_Create(nullptr, &context), "SUNContext_Create");
    Request request{argv[1] == std::string("simultaneous") ? IDA_SIMULTANEOUS : IDA_STAGGERED,
                    argv[2] == std::string("inside"),
                    std::atof(argv[3]),
                    {std::atof(argv[4]), std::atof(argv[5]), std::atof(argv[6])}};
    solve(request, context);
    SUNContext_Free(&context);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_idas: %s\n", error.what());
    return 1;
  }
  return 0;
}
