/// SUNDIALS IDA on PETSc vectors: N_Vectors lend their arrays to Vecs of the problem's layout.

#include "fence.hpp"
#include "lent.hpp"
#include "peers.hpp"
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <ida/ida.h>
#include <numeric>
#include <nvector/nvector_serial.h>
#include <stdexcept>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

namespace rhumb::bench {

using core::check;

namespace {

void check_ida(int code, const char* what) {
  if (code < 0) throw std::runtime_error(std::string(what) + " failed with " + std::to_string(code));
}

struct Context {
  const Task& task;
  Counted system;
  Lent lent;
  Fence fence;
  core::MatHandle matrix;
  core::PcHandle preconditioner;
  std::vector<PetscInt> rows;  ///< of a small matrix, their numbers
  std::vector<double> entries; ///< of it, by rows
};

double* numbers(N_Vector v) {
  return N_VGetArrayPointer(v);
}

/// Calls it, and tells IDA how it went.
template <class Call>
int fenced(void* data, const Call& call) {
  auto* peer = static_cast<Context*>(data);
  switch (peer->fence([&] { call(*peer); })) {
  case Fence::Said::good:
    return 0;
  case Fence::Said::again:
    return 1;
  default:
    return -1;
  }
}

int residual(double t, N_Vector y, N_Vector ydot, N_Vector f, void* data) {
  return fenced(data, [&](Context& peer) {
    peer.system.residual(t, peer.lent(numbers(y)), peer.lent(numbers(ydot)), peer.lent(numbers(f)));
  });
}

int dense_jacobian(double t, double alpha, N_Vector y, N_Vector ydot, N_Vector, SUNMatrix out, void* data, N_Vector,
                   N_Vector, N_Vector) {
  return fenced(data, [&](Context& peer) {
    peer.system.jacobian(t, peer.lent(numbers(y)), peer.lent(numbers(ydot)), alpha, peer.matrix);
    const auto size = static_cast<PetscInt>(peer.rows.size());
    check(MatGetValues(peer.matrix, size, peer.rows.data(), size, peer.rows.data(), peer.entries.data()));
    for (PetscInt i = 0; i < size; ++i)
      for (PetscInt j = 0; j < size; ++j) SM_ELEMENT_D(out, i, j) = peer.entries[i * size + j];
  });
}

int sparse_jacobian(double t, double alpha, N_Vector y, N_Vector ydot, N_Vector, SUNMatrix out, void* data, N_Vector,
                    N_Vector, N_Vector) {
  return fenced(data, [&](Context& peer) {
    peer.system.jacobian(t, peer.lent(numbers(y)), peer.lent(numbers(ydot)), alpha, peer.matrix);
    PetscInt rows = 0;
    const PetscInt *begin = nullptr, *columns = nullptr;
    PetscBool there = PETSC_FALSE;
    const PetscScalar* values = nullptr;
    check(MatGetRowIJ(peer.matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &begin, &columns, &there));
    check(MatSeqAIJGetArrayRead(peer.matrix, &values));
    std::copy_n(begin, rows + 1, SM_INDEXPTRS_S(out));
    std::copy_n(columns, begin[rows], SM_INDEXVALS_S(out));
    std::copy_n(values, begin[rows], SM_DATA_S(out));
    check(MatSeqAIJRestoreArrayRead(peer.matrix, &values));
    check(MatRestoreRowIJ(peer.matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &begin, &columns, &there));
  });
}

int set_up(double t, N_Vector y, N_Vector ydot, N_Vector, double alpha, void* data) {
  return fenced(data, [&](Context& peer) {
    peer.system.jacobian(t, peer.lent(numbers(y)), peer.lent(numbers(ydot)), alpha, peer.matrix);
    check(PCSetUp(peer.preconditioner));
  });
}

int solve(double, N_Vector, N_Vector, N_Vector, N_Vector r, N_Vector z, double, double, void* data) {
  return fenced(
      data, [&](Context& peer) { check(PCApply(peer.preconditioner, peer.lent(numbers(r)), peer.lent(numbers(z)))); });
}

int multiply(double, N_Vector, N_Vector, N_Vector, N_Vector v, N_Vector out, double, void* data, N_Vector, N_Vector) {
  return fenced(data,
                [&](Context& peer) { check(MatMult(peer.matrix, peer.lent(numbers(v)), peer.lent(numbers(out)))); });
}

using Vector = std::unique_ptr<_generic_N_Vector, decltype(&N_VDestroy)>;

Vector copy_of(Vec values, SUNContext sundials) {
  PetscInt size = 0;
  const PetscScalar* from = nullptr;
  check(VecGetLocalSize(values, &size));
  Vector result(N_VNew_Serial(size, sundials), N_VDestroy);
  check(VecGetArrayRead(values, &from));
  std::copy_n(from, size, N_VGetArrayPointer(result.get()));
  check(VecRestoreArrayRead(values, &from));
  return result;
}

using Matrix = std::unique_ptr<_generic_SUNMatrix, decltype(&SUNMatDestroy)>;
using Solver = std::unique_ptr<_generic_SUNLinearSolver, decltype(&SUNLinSolFree)>;

Matrix create_matrix(Algebra algebra, const Context& peer, sunindextype size, SUNContext sundials) {
  MatInfo stored{};
  check(MatGetInfo(peer.matrix, MAT_LOCAL, &stored));
  const auto entries = static_cast<sunindextype>(stored.nz_allocated);
  switch (algebra) {
  case Algebra::dense:
    return {SUNDenseMatrix(size, size, sundials), SUNMatDestroy};
  case Algebra::sparse:
    return {SUNSparseMatrix(size, size, entries, CSR_MAT, sundials), SUNMatDestroy};
  default:
    return {nullptr, SUNMatDestroy};
  }
}

Solver create_solver(Algebra algebra, N_Vector y, SUNMatrix matrix, SUNContext sundials) {
  switch (algebra) {
  case Algebra::dense:
    return {SUNLinSol_Dense(y, matrix, sundials), SUNLinSolFree};
  case Algebra::sparse:
    return {SUNLinSol_KLU(y, matrix, sundials), SUNLinSolFree};
  default:
    return {SUNLinSol_SPGMR(y, SUN_PREC_LEFT, 0, sundials), SUNLinSolFree};
  }
}

void give_preconditioner(void* ida, Context& peer) {
  check(PCCreate(PETSC_COMM_WORLD, peer.preconditioner.out()));
  check(PCSetOperators(peer.preconditioner, peer.matrix, peer.matrix));
  peer.system.configure(peer.preconditioner, peer.matrix);
  check_ida(IDASetPreconditioner(ida, set_up, solve), "IDASetPreconditioner");
}

void set_tolerances(void* ida, const Task& task, SUNContext sundials) {
  const double floor = task.floor.front();
  if (std::ranges::all_of(task.floor, [&](double other) { return other == floor; }))
    check_ida(IDASStolerances(ida, task.rtol, task.rtol * floor), "IDASStolerances");
  else // it keeps a copy
    check_ida(IDASVtolerances(ida, task.rtol, copy_of(atol_vector(task), sundials).get()), "IDASVtolerances");
}

void leave_out_algebraic(void* ida, const Context& peer, N_Vector model) {
  const Vector id(N_VClone(model), N_VDestroy);
  for (sunindextype i = 0; i < N_VGetLength(model); ++i)
    numbers(id.get())[i] = peer.system.variable_kind(static_cast<PetscInt>(i)) == dae::Kind::differential ? 1.0 : 0.0;
  check_ida(IDASetId(ida, id.get()), "IDASetId"); // it keeps a copy
  check_ida(IDASetSuppressAlg(ida, SUNTRUE), "IDASetSuppressAlg");
}

long number(void* ida, int (*get)(void*, long*)) {
  long value = 0;
  check_ida(get(ida, &value), "a count");
  return value;
}

} // namespace

Cost run_ida(const Task& task, const std::string& variant, const Watch& watch) {
  SUNContext sundials = nullptr;
  check_ida(SUNContext_Create(nullptr, &sundials), "SUNContext_Create");
  const auto& begin = task.start;
  const auto y = copy_of(begin.y, sundials), ydot = copy_of(begin.ydot, sundials);
  const auto size = N_VGetLength(y.get());
  Context peer{task, Counted(task.problem), Lent(task.problem), {}, task.problem.create_matrix(), {}, {}, {}};
  if (task.algebra == Algebra::dense) {
    peer.rows.resize(static_cast<std::size_t>(size));
    std::iota(peer.rows.begin(), peer.rows.end(), 0);
    peer.entries.resize(peer.rows.size() * peer.rows.size());
  }
  const auto free = [](void* memory) { IDAFree(&memory); };
  const std::unique_ptr<void, decltype(free)> owner(IDACreate(sundials), free);
  void* ida = owner.get();
  check_ida(IDAInit(ida, residual, 0.0, y.get(), ydot.get()), "IDAInit");
  set_tolerances(ida, task, sundials);
  check_ida(IDASetUserData(ida, &peer), "IDASetUserData");
  const Matrix matrix = create_matrix(task.algebra, peer, size, sundials);
  const Solver solver = create_solver(task.algebra, y.get(), matrix.get(), sundials);
  check_ida(IDASetLinearSolver(ida, solver.get(), matrix.get()), "IDASetLinearSolver");
  if (task.algebra == Algebra::krylov) {
    give_preconditioner(ida, peer);
    if (variant == "matrix") check_ida(IDASetJacTimes(ida, nullptr, multiply), "IDASetJacTimes");
  } else {
    check_ida(IDASetJacFn(ida, task.algebra == Algebra::dense ? dense_jacobian : sparse_jacobian), "IDASetJacFn");
  }
  if (variant == "suppress") leave_out_algebraic(ida, peer, y.get());
  check_ida(IDASetMaxNumSteps(ida, 100'000'000), "IDASetMaxNumSteps");
  const double before = cpu_now();
  for (std::size_t k = 0; k < task.times.size(); ++k) {
    double reached = 0.0;
    const int answer = IDASolve(ida, task.times[k], &reached, y.get(), ydot.get(), IDA_NORMAL);
    peer.fence.rethrow();
    check_ida(answer, "IDASolve");
    watch(k, peer.lent(numbers(y.get())));
  }
  const double seconds = cpu_now() - before;
  return {number(ida, IDAGetNumSteps),
          peer.system.residuals,
          number(ida, IDAGetNumLinSolvSetups),
          number(ida, IDAGetNumNonlinSolvIters),
          task.algebra == Algebra::krylov ? number(ida, IDAGetNumLinIters) : 0,
          seconds};
}

} // namespace rhumb::bench
