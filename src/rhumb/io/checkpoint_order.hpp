#pragma once
/// The order of unknowns in a checkpoint, and its name.

#include <cstdint>
#include <mpi.h>
#include <petscvec.h>
#include <string>
#include <vector>

namespace rhumb::io {

/// "000000012.h5"
std::string checkpoint_name(long step);

/// Where each local entry of a vector stands in the file: its natural number, or PETSc's global number where no rank
/// has natural ones. Collective.
std::vector<std::uint64_t> checkpoint_order(MPI_Comm comm, Vec model, const std::vector<PetscInt>& natural_indices);

} // namespace rhumb::io
