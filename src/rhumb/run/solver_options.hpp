#pragma once
/// The options of PETSc's linear solvers that a case file may set: types, tolerances, factorization packages,
/// parameters of multigrid and of hypre, each with the values it may have. No option here opens a file, prints, or
/// starts anything. Everything else of PETSc (viewers, monitors, logging) comes from the command line.

#include <rhumb/core/options.hpp>
#include <string>
#include <vector>

namespace rhumb::run {

/// Whether the name (without its dash) is one of them: the integrator's prefix, the parts of a preconditioner, a known
/// option. Upper or lower case, as in PETSc.
bool is_solver_option(const std::string& name);

/// Throws core::BadInput where the value is none that the option may have.
void check_solver_option(const core::FileValue& given);

/// Their names without prefixes and parts, for messages and pages.
std::vector<std::string> solver_option_names();

} // namespace rhumb::run
