#pragma once
/// PETSc's private headers of TS, SNES, KSP and Vec, which a TS type and a KSP type need; no other file includes them. They
/// change from one minor version to the next, so the versions that were tried are named here. To be included by as few
/// .cpp files as possible, and by no header.

#include <petscversion.h>

#if PETSC_VERSION_LT(3, 18, 0)
#error "Rhumb needs PETSc 3.18: this one is older. Name another one by PETSC_DIR (docs/guide/installing.md)."
#elif PETSC_VERSION_GE(3, 19, 0) && !defined(RHUMB_UNTRIED_PETSC)
#error                                                                                                                 \
    "Rhumb was tried with PETSc 3.18 and uses its private headers: this PETSc is newer. Name a PETSc 3.18 by PETSC_DIR, or compile with -DRHUMB_UNTRIED_PETSC and run the tests ts and bdf."
#endif

#include <petscconf.h>

#if defined(PETSC_USE_COMPLEX)
#error "Rhumb needs a PETSc with real scalars: this one was configured with --with-scalar-type=complex."
#elif !defined(PETSC_USE_REAL_DOUBLE)
#error "Rhumb needs a PETSc in double precision: this one was configured with another --with-precision."
#endif

#include <petsc/private/kspimpl.h>
#include <petsc/private/snesimpl.h>
#include <petsc/private/tsimpl.h>
#include <petsc/private/vecimpl.h>
