#pragma once

#include <petscpc.h>
#include <string>

namespace rhumb::text {

/// Additive Schwarz; each block is solved by "lu", or by "ilu" with one level of fill.
void use_overlapping_blocks(PC preconditioner, const std::string& block);

} // namespace rhumb::text
