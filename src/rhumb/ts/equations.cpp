#include <rhumb/ts/equations.hpp>

#include <rhumb/core/check.hpp>
#include <petsc/private/tsimpl.h>

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

Equations equations_of(TS ts) {
  Equations e;
  check(DMTSGetIFunction(ts->dm, &e.ifunction, &e.contexts[0]));
  check(DMTSGetRHSFunction(ts->dm, &e.rhs_function, &e.contexts[1]));
  check(DMTSGetIJacobian(ts->dm, &e.ijacobian, &e.contexts[2]));
  check(DMTSGetRHSJacobian(ts->dm, &e.rhs_jacobian, &e.contexts[3]));
  check(DMTSGetTransientVariable(ts->dm, &e.transient, static_cast<void*>(&e.contexts[4])));
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
  e.objects = {id_of(ts->dm), id_of(amat), id_of(pmat), id_of(pc)};
  for (std::size_t i = 0; i < kind_sets.size(); ++i) {
    PetscObject set = nullptr;
    check(PetscObjectQuery(reinterpret_cast<PetscObject>(ts), kind_sets[i], &set));
    e.objects[4 + i] = id_of(set);
  }
  if (type) e.preconditioner_type = type;
  e.type = ts->equation_type;
  return e;
}

} // namespace rhumb::ts
