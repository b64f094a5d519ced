#pragma once
/// Defaults for objects of PETSc that another one makes later (the blocks of a preconditioner), in the options that
/// they will read.

#include <petscpc.h>
#include <string>

namespace rhumb::core {

/// `name` is what stands after the preconditioner's prefix ("fieldsplit_u_pc_type"); a value that was given stays.
void set_inner_default(PC preconditioner, const std::string& name, const char* value);

} // namespace rhumb::core
