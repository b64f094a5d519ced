#pragma once
/// Whether a problem fits into the memory of the machines it runs on, asked before anything is allocated: Linux grants
/// more than it has and kills whoever touches it.

#include <mpi.h>
#include <string>

namespace rhumb::core {

/// Bytes that the processes of this machine may take together: what is available, or the limit of the control group or
/// of the shell (ulimit -v) where that is lower. Infinite where nothing is known.
double available_memory();

/// The least that an integration needs: `unknowns` in all, `entries` in a row of the Jacobian. Vectors of the method
/// and one matrix; factors and Krylov vectors come on top.
double least_memory(double unknowns, double entries);

/// Throws BadInput, on all ranks, with the figures, where a machine has less than its ranks' share of the least, or
/// where PETSc's indices cannot count the unknowns. `what` begins the message: "-n 100,100". Collective.
void check_memory_demand(MPI_Comm comm, double unknowns, double entries, const std::string& what);

/// "3.2 GiB"
std::string bytes_text(double bytes);

} // namespace rhumb::core
