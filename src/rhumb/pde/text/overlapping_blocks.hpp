#pragma once

#include <petscpc.h>
#include <string>

namespace rhumb::text {

/// A default for an object of PETSc inside of this one that does not exist yet, in the options that it will read.
void set_default(PC preconditioner, const std::string& name, const char* value);
/// Additive Schwarz; each block is solved by "lu", or by "ilu" with one level of fill.
void use_overlapping_blocks(PC preconditioner, const std::string& block);

} // namespace rhumb::text
