/// DASPK 2.0, the Fortran code that GNU Octave's library holds: direct methods, or its own GMRES (SPIGMR).

#include "fence.hpp"
#include "lent.hpp"
#include "peers.hpp"
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

extern "C" {
using DaspkResidual = void(const double* t, double* y, double* ydot, const double* cj, double* f, int* ires,
                           double* context, int* unused);
void ddaspk_(DaspkResidual* residual, const int* size, double* t, double* y, double* ydot, const double* t_out,
             int* info, double* rtol, double* atol, int* idid, double* rwork, const int* rwork_size, int* iwork,
             const int* iwork_size, double* context, int* unused, void (*jacobian)(), void (*solve)());
}

namespace rhumb::bench {

using core::check;

namespace {

/// Entries of DASPK's arrays, in C's counting.
enum Info : std::uint8_t {
  array_tolerances = 1,
  own_jacobian = 4,
  band = 5,
  krylov = 11,
  own_setup = 14,
  exclude = 15
};
enum Integers : std::uint8_t { lower_band = 0, upper_band = 1, steps = 10, jacobians = 12, newton = 18, linear = 19 };

struct Context {
  const Task& task;
  Counted system;
  Lent lent;
  Fence fence;
  core::MatHandle matrix;
  core::PcHandle preconditioner;
  core::VecHandle solution;
  PetscInt below = 0, above = 0;               ///< the band of the matrix, without its diagonal
  Fence::Said matrix_said = Fence::Said::good; ///< DASPK does not ask; the next residual tells it

  /// DASPK hands an array of numbers on to our functions; it is this object.
  double* as_numbers() { return reinterpret_cast<double*>(this); }
  static Context& of(double* numbers) { return *reinterpret_cast<Context*>(numbers); }
};

void residual(const double* t, double* y, double* ydot, const double*, double* f, int* ires, double* context, int*) {
  auto& peer = Context::of(context);
  const auto said = peer.fence([&] { peer.system.residual(*t, peer.lent(y), peer.lent(ydot), peer.lent(f)); });
  const auto worst = std::max(said, std::exchange(peer.matrix_said, Fence::Said::good));
  if (worst != Fence::Said::good) *ires = worst == Fence::Said::again ? -1 : -2;
}

/// By columns, of a band those entries that it can have after pivoting. The array is zero before.
void fill_matrix(double t, Vec y, Vec ydot, double cj, double* out, Context& peer) {
  peer.system.jacobian(t, y, ydot, cj, peer.matrix);
  PetscInt size = 0;
  check(MatGetSize(peer.matrix, &size, nullptr));
  const bool banded = peer.task.algebra == Algebra::sparse;
  const PetscInt height = banded ? 2 * peer.below + peer.above + 1 : size;
  for (PetscInt i = 0; i < size; ++i) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    const PetscScalar* values = nullptr;
    check(MatGetRow(peer.matrix, i, &count, &columns, &values));
    for (PetscInt k = 0; k < count; ++k) {
      const PetscInt j = columns[k], row = banded ? i - j + peer.below + peer.above : i;
      out[j * height + row] = values[k];
    }
    check(MatRestoreRow(peer.matrix, i, &count, &columns, &values));
  }
}

void direct_jacobian(const double* t, double* y, double* ydot, double* out, const double* cj, double* context, int*) {
  auto& peer = Context::of(context);
  peer.matrix_said = peer.fence([&] { fill_matrix(*t, peer.lent(y), peer.lent(ydot), *cj, out, peer); });
}

/// DASPK's flag for what went wrong beside the residual.
int flag(Fence::Said said) {
  return said == Fence::Said::good ? 0 : said == Fence::Said::again ? 1 : -1;
}

void set_up(DaspkResidual*, int*, const int*, const double* t, double* y, double* ydot, double*, double*, double*,
            double*, const double* cj, double*, int*, int* ier, double* context, int*) {
  auto& peer = Context::of(context);
  *ier = flag(peer.fence([&] {
    peer.system.jacobian(*t, peer.lent(y), peer.lent(ydot), *cj, peer.matrix);
    check(PCSetUp(peer.preconditioner));
  }));
}

void solve(const int*, const double*, double*, double*, double*, double*, const double*, double*, double*, int*,
           double* b, const double*, int* ier, double* context, int*) {
  auto& peer = Context::of(context);
  *ier = flag(peer.fence([&] {
    check(PCApply(peer.preconditioner, peer.lent(b), peer.solution));
    const core::Readable x(peer.solution);
    std::copy(x.begin(), x.end(), b);
  }));
}

void find_band(Context& peer) {
  PetscInt size = 0;
  check(MatGetSize(peer.matrix, &size, nullptr));
  for (PetscInt i = 0; i < size; ++i) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    check(MatGetRow(peer.matrix, i, &count, &columns, nullptr));
    for (PetscInt k = 0; k < count; ++k) {
      peer.below = std::max(peer.below, i - columns[k]);
      peer.above = std::max(peer.above, columns[k] - i);
    }
    check(MatRestoreRow(peer.matrix, i, &count, &columns, nullptr));
  }
}

/// What DASPK keeps between its calls.
struct Memory {
  std::array<int, 20> info{};
  std::vector<double> reals;
  std::vector<int> integers;
};

Memory prepare(Context& peer, const std::string& variant, std::size_t size) {
  constexpr std::size_t per_unknown = 24, fixed = 150; // more than any of its methods asks for, but for the matrix
  Memory memory;
  auto& info = memory.info;
  info[array_tolerances] = 1;
  std::size_t matrix = 0;
  if (peer.task.algebra == Algebra::krylov) {
    info[krylov] = info[own_setup] = 1;
    check(PCCreate(PETSC_COMM_WORLD, peer.preconditioner.out()));
    check(PCSetOperators(peer.preconditioner, peer.matrix, peer.matrix));
    peer.system.configure(peer.preconditioner, peer.matrix);
  } else {
    info[own_jacobian] = 1;
    info[band] = peer.task.algebra == Algebra::sparse ? 1 : 0;
    find_band(peer);
    matrix = info[band] ? static_cast<std::size_t>(2 * peer.below + peer.above + 1) * size : size * size;
  }
  constexpr std::size_t kinds = 40;
  memory.reals.resize(fixed + per_unknown * size + matrix);
  memory.integers.resize(kinds + 2 * size);
  memory.integers[lower_band] = peer.below;
  memory.integers[upper_band] = peer.above;
  info[exclude] = variant == "suppress" ? 1 : 0;
  for (std::size_t i = 0; i < size; ++i)
    memory.integers[kinds + i] =
        peer.system.variable_kind(static_cast<PetscInt>(i)) == dae::Kind::differential ? 1 : -1;
  return memory;
}

std::vector<double> numbers_of(Vec v) {
  const core::Readable values(v);
  return {values.begin(), values.end()};
}

} // namespace

Cost run_daspk(const Task& task, const std::string& variant, const Watch& watch) {
  auto y = numbers_of(task.start.y), ydot = numbers_of(task.start.ydot), atol = numbers_of(atol_vector(task));
  std::vector<double> rtol(y.size(), task.rtol);
  Context peer{task, Counted(task.problem),       Lent(task.problem), {}, task.problem.create_matrix(),
               {},   task.problem.create_vector()};
  Memory memory = prepare(peer, variant, y.size());
  const int size = static_cast<int>(y.size()), reals = static_cast<int>(memory.reals.size()),
            integers = static_cast<int>(memory.integers.size());
  const bool iterates = task.algebra == Algebra::krylov;
  int unused = 0;
  double t = 0.0;
  const double before = cpu_now();
  for (std::size_t k = 0; k < task.times.size(); ++k) {
    constexpr int many_steps = -1; // it returns after 500 of them
    int idid = many_steps;
    while (idid == many_steps) {
      ddaspk_(residual, &size, &t, y.data(), ydot.data(), &task.times[k], memory.info.data(), rtol.data(), atol.data(),
              &idid, memory.reals.data(), &reals, memory.integers.data(), &integers, peer.as_numbers(), &unused,
              iterates ? reinterpret_cast<void (*)()>(set_up) : reinterpret_cast<void (*)()>(direct_jacobian),
              reinterpret_cast<void (*)()>(solve));
      peer.fence.rethrow();
      memory.info[0] = 1;
    }
    if (idid < 0) throw std::runtime_error(fmt::format("DASPK gave up with {}", idid));
    watch(k, peer.lent(y.data()));
  }
  const double seconds = cpu_now() - before;
  const auto count = [&](Integers which) { return static_cast<long>(memory.integers[which]); };
  return {count(steps), peer.system.residuals, count(jacobians), count(newton), iterates ? count(linear) : 0, seconds};
}

} // namespace rhumb::bench
