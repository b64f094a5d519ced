#include <rhumb/ts/equations.hpp>

#include <rhumb/core/check.hpp>

namespace rhumb::ts {

using core::check;

namespace {

template <class Object>
PetscObjectId id_of(Object object) {
  PetscObjectId id = 0;
  if (object) check(PetscObjectGetId(reinterpret_cast<PetscObject>(object), &id));
  return id;
}

} // namespace

DM grid_of(TS ts) {
  DM dm = nullptr;
  check(TSGetDM(ts, &dm));
  return dm;
}

Vec solution_of(TS ts) {
  Vec solution = nullptr;
  check(TSGetSolution(ts, &solution));
  return solution;
}

TsEquations equations_of(TS ts) {
  TsEquations e;
  DM dm = grid_of(ts);
  check(DMTSGetIFunction(dm, &e.ifunction, &e.contexts[0]));
  check(DMTSGetRHSFunction(dm, &e.rhs_function, &e.contexts[1]));
  check(DMTSGetIJacobian(dm, &e.ijacobian, &e.contexts[2]));
  check(DMTSGetRHSJacobian(dm, &e.rhs_jacobian, &e.contexts[3]));
  check(DMTSGetTransientVariable(dm, &e.transient, static_cast<void*>(&e.contexts[4])));
  SNES snes = nullptr;
  KSP ksp = nullptr;
  PC pc = nullptr;
  PCType type = nullptr;
  Mat amat = nullptr, pmat = nullptr;
  check(TSGetSNES(ts, &snes));
  check(SNESGetJacobian(snes, &amat, &pmat, nullptr, nullptr));
  check(SNESGetKSP(snes, &ksp));
  check(KSPGetPC(ksp, &pc));
  check(PCGetType(pc, &type));
  e.objects = {id_of(dm), id_of(amat), id_of(pmat), id_of(pc)};
  for (std::size_t i = 0; i < kind_sets.size(); ++i) {
    PetscObject set = nullptr;
    check(PetscObjectQuery(reinterpret_cast<PetscObject>(ts), kind_sets[i], &set));
    e.objects[4 + i] = id_of(set);
  }
  if (type) e.preconditioner_type = type;
  check(TSGetEquationType(ts, &e.type));
  return e;
}

} // namespace rhumb::ts
