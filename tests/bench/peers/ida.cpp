/// SUNDIALS IDA on PETSc vectors: N_Vectors lend their arrays to Vecs of the problem's layout.

#include "core/check.hpp"
#include "peers.hpp"
#include <ida/ida.h>
#include <numeric>
#include <nvector/nvector_serial.h>
#include <stdexcept>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>

namespace rhumb::bench {

using core::check;

namespace {

void check_ida(int code, const char* what) {
  if (code < 0) throw std::runtime_error(std::string(what) + " failed with " + std::to_string(code));
}

/// Vecs of the problem's layout that look at N_Vectors' numbers. IDA has a fixed set of vectors, so each gets its Vec
/// once and a call costs IDA nothing but the search.
class Lent {
public:
  explicit Lent(const dae::Problem& problem) : problem_(problem) {}
  ~Lent() {
    for (auto& pair : known_) VecResetArray(pair.second);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  Vec operator()(N_Vector numbers) {
    double* const data = N_VGetArrayPointer(numbers);
    for (auto& [address, vector] : known_)
      if (address == data) return vector;
    auto vector = problem_.create_vector();
    check(VecPlaceArray(vector, data));
    return known_.emplace_back(data, std::move(vector)).second;
  }

private:
  const dae::Problem& problem_;
  std::vector<std::pair<double*, core::VecHandle>> known_;
};

struct Context {
  const Task& task;
  Counted system;
  Lent lent;
  core::MatHandle matrix;
  core::PcHandle preconditioner;
  std::vector<PetscInt> numbers; ///< of the rows of a small matrix
  std::vector<double> entries;   ///< of it, by rows
};

int residual(double t, N_Vector y, N_Vector ydot, N_Vector f, void* data) {
  auto* own = static_cast<Context*>(data);
  own->system.residual(t, own->lent(y), own->lent(ydot), own->lent(f));
  return 0;
}

int dense_jacobian(double t, double alpha, N_Vector y, N_Vector ydot, N_Vector, SUNMatrix out, void* data, N_Vector,
                   N_Vector, N_Vector) {
  auto* own = static_cast<Context*>(data);
  own->system.jacobian(t, own->lent(y), own->lent(ydot), alpha, own->matrix);
  const auto size = static_cast<PetscInt>(own->numbers.size());
  check(MatGetValues(own->matrix, size, own->numbers.data(), size, own->numbers.data(), own->entries.data()));
  for (PetscInt i = 0; i < size; ++i)
    for (PetscInt j = 0; j < size; ++j) SM_ELEMENT_D(out, i, j) = own->entries[static_cast<std::size_t>(i * size + j)];
  return 0;
}

int set_up(double t, N_Vector y, N_Vector ydot, N_Vector, double alpha, void* data) {
  auto* own = static_cast<Context*>(data);
  own->system.jacobian(t, own->lent(y), own->lent(ydot), alpha, own->matrix);
  check(PCSetUp(own->preconditioner));
  return 0;
}

int solve(double, N_Vector, N_Vector, N_Vector, N_Vector r, N_Vector z, double, double, void* data) {
  auto* own = static_cast<Context*>(data);
  check(PCApply(own->preconditioner, own->lent(r), own->lent(z)));
  return 0;
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

void give_preconditioner(void* ida, Context& own) {
  check(PCCreate(PETSC_COMM_WORLD, own.preconditioner.out()));
  check(PCSetOperators(own.preconditioner, own.matrix, own.matrix));
  own.system.configure(own.preconditioner, own.matrix);
  check_ida(IDASetPreconditioner(ida, set_up, solve), "IDASetPreconditioner");
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
  const auto atol = copy_of(atol_vector(task), sundials), id = copy_of(begin.y, sundials);
  const auto size = N_VGetLength(y.get());
  Context own{task, Counted(task.problem), Lent(task.problem), task.problem.create_matrix(), {}, {}, {}};
  if (task.direct) {
    own.numbers.resize(static_cast<std::size_t>(size));
    std::iota(own.numbers.begin(), own.numbers.end(), 0);
    own.entries.resize(own.numbers.size() * own.numbers.size());
  }
  for (sunindextype i = 0; i < size; ++i)
    N_VGetArrayPointer(id.get())[i] =
        own.system.variable_kind(static_cast<PetscInt>(i)) == dae::Kind::differential ? 1.0 : 0.0;
  const auto free = [](void* memory) { IDAFree(&memory); };
  const std::unique_ptr<void, decltype(free)> owner(IDACreate(sundials), free);
  void* ida = owner.get();
  check_ida(IDAInit(ida, residual, 0.0, y.get(), ydot.get()), "IDAInit");
  check_ida(IDASVtolerances(ida, task.rtol, atol.get()), "IDASVtolerances");
  check_ida(IDASetUserData(ida, &own), "IDASetUserData");
  const std::unique_ptr<_generic_SUNMatrix, decltype(&SUNMatDestroy)> matrix(
      task.direct ? SUNDenseMatrix(size, size, sundials) : nullptr, SUNMatDestroy);
  const std::unique_ptr<_generic_SUNLinearSolver, decltype(&SUNLinSolFree)> solver(
      task.direct ? SUNLinSol_Dense(y.get(), matrix.get(), sundials)
                  : SUNLinSol_SPGMR(y.get(), SUN_PREC_LEFT, 0, sundials),
      SUNLinSolFree);
  check_ida(IDASetLinearSolver(ida, solver.get(), matrix.get()), "IDASetLinearSolver");
  if (task.direct)
    check_ida(IDASetJacFn(ida, dense_jacobian), "IDASetJacFn");
  else
    give_preconditioner(ida, own);
  check_ida(IDASetId(ida, id.get()), "IDASetId");
  check_ida(IDASetSuppressAlg(ida, variant == "suppress" ? SUNTRUE : SUNFALSE), "IDASetSuppressAlg");
  check_ida(IDASetMaxNumSteps(ida, 100'000'000), "IDASetMaxNumSteps");
  const double before = cpu_now();
  for (std::size_t k = 0; k < task.times.size(); ++k) {
    double reached = 0.0;
    check_ida(IDASolve(ida, task.times[k], &reached, y.get(), ydot.get(), IDA_NORMAL), "IDASolve");
    watch(k, own.lent(y.get()));
  }
  const double seconds = cpu_now() - before;
  return {number(ida, IDAGetNumSteps),
          own.system.residuals,
          number(ida, IDAGetNumLinSolvSetups),
          number(ida, IDAGetNumNonlinSolvIters),
          task.direct ? 0 : number(ida, IDAGetNumLinIters),
          seconds};
}

} // namespace rhumb::bench
