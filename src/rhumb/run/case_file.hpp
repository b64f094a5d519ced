#pragma once
/// What a case file says. Anybody may have written it: it is read here, without PETSc, and what it may set is decided
/// before PETSc sees any of it.

#include <rhumb/core/options.hpp>
#include <mpi.h>
#include <string>
#include <vector>

namespace rhumb::run {

/// The values of a case file in their order. Maps inside maps join their names with '_', lists their items with commas
/// (items of a list `equations` are values of their own: equations_1, ...); all else (anchors, aliases, tags, a second document) is refused, and so is a control character. Throws
/// core::BadInput with file, line and column.
std::vector<core::FileValue> parse_case(const std::string& text, const std::string& file);

/// Reads the file on rank 0 and parses it on all ranks. Throws core::BadInput on all ranks.
std::vector<core::FileValue> read_case_file(MPI_Comm comm, const std::string& file);

/// Gives the values of a case file to `options`; PETSc sees those of the linear solver alone (solver_options.hpp).
/// Throws core::BadInput where a value may come from the command line only, and where a solver's value is not a
/// permitted one.
void take_case(const std::vector<core::FileValue>& values, core::Options& options);

} // namespace rhumb::run
