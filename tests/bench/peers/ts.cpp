/// PETSc's own TS: BDF of a fixed order with its basic adaptor, and Rosenbrock-W.

#include "peers.hpp"
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/guard.hpp>
#include <limits>
#include <petscts.h>
#include <stdexcept>

namespace rhumb::bench {

using core::check;
using core::guard;

namespace {

using TsHandle = core::Handle<TS, TSDestroy>;

struct Context {
  const Task& task;
  Counted system;
  const Watch& watch;
  core::VecHandle y;
  std::size_t next = 0; ///< output time
  long setups = 0;
};

/// Where F has no value: NaN, which makes SNES fail and BDF take a shorter step.
PetscErrorCode function(TS, PetscReal t, Vec y, Vec ydot, Vec f, void* context) {
  return guard([&] {
    try {
      static_cast<Context*>(context)->system.residual(t, y, ydot, f);
    } catch (const core::Recoverable&) {
      check(VecSet(f, std::numeric_limits<double>::quiet_NaN()));
    }
  });
}

PetscErrorCode jacobian(TS, PetscReal t, Vec y, Vec ydot, PetscReal shift, Mat, Mat matrix, void* context) {
  return guard([&] {
    auto* peer = static_cast<Context*>(context);
    ++peer->setups;
    peer->system.jacobian(t, y, ydot, shift, matrix);
  });
}

PetscErrorCode monitor(TS ts, PetscInt, PetscReal t, Vec, void* context) {
  return guard([&] {
    auto* peer = static_cast<Context*>(context);
    for (; peer->next < peer->task.times.size() && peer->task.times[peer->next] <= t; ++peer->next) {
      check(TSInterpolate(ts, peer->task.times[peer->next], peer->y));
      peer->watch(peer->next, peer->y);
    }
  });
}

void choose_type(TS ts, const std::string& type) {
  if (type == "rosw") {
    check(TSSetType(ts, TSROSW));
    return;
  }
  check(TSSetType(ts, TSBDF));
  check(TSBDFSetOrder(ts, type.back() - '0'));
}

void configure(TS ts, const Task& task, Mat matrix) {
  SNES snes = nullptr;
  KSP ksp = nullptr;
  PC pc = nullptr;
  check(TSGetSNES(ts, &snes));
  check(SNESGetKSP(snes, &ksp));
  check(KSPGetPC(ksp, &pc));
  if (task.algebra != Algebra::krylov) {
    check(KSPSetType(ksp, KSPPREONLY));
    check(PCSetType(pc, PCLU));
    check(PCFactorSetMatSolverType(pc, MATSOLVERKLU));
  } else {
    check(PCSetOperators(pc, matrix, matrix));
    task.problem.configure(pc, matrix);
  }
}

} // namespace

Cost run_ts(const Task& task, const std::string& type, const Watch& watch) {
  Context context{task, Counted(task.problem), watch, task.problem.create_vector()};
  const auto y = task.problem.create_vector();
  check(VecCopy(task.start.y, y));
  const auto atol = atol_vector(task);
  const auto matrix = task.problem.create_matrix();
  TsHandle ts;
  check(TSCreate(PETSC_COMM_WORLD, ts.out()));
  choose_type(ts, type);
  check(TSSetIFunction(ts, nullptr, function, &context));
  check(TSSetIJacobian(ts, matrix, matrix, jacobian, &context));
  check(TSSetTolerances(ts, task.rtol, atol, task.rtol, nullptr));
  check(TSSetMaxTime(ts, task.times.back()));
  check(TSSetTimeStep(ts, 1e-4 * task.times.front()));
  check(TSSetMaxSteps(ts, 10'000'000));
  check(TSSetMaxSNESFailures(ts, -1));
  check(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  check(TSMonitorSet(ts, monitor, &context, nullptr));
  configure(ts, task, matrix);
  check(TSSetFromOptions(ts));
  check(TSSetSolution(ts, y));
  check(TSSetUp(ts));
  const double before = cpu_now();
  check(TSSolve(ts, y));
  const double seconds = cpu_now() - before;
  TSConvergedReason reason = TS_CONVERGED_ITERATING;
  check(TSGetConvergedReason(ts, &reason));
  if (reason < 0) throw std::runtime_error(std::string("TS gave up: ") + TSConvergedReasons[reason]);
  PetscInt steps = 0, newton = 0, linear = 0;
  check(TSGetStepNumber(ts, &steps));
  check(TSGetSNESIterations(ts, &newton));
  check(TSGetKSPIterations(ts, &linear));
  return {steps,  context.system.residuals, context.setups, newton, task.algebra == Algebra::krylov ? linear : 0,
          seconds};
}

} // namespace rhumb::bench
