#pragma once

#include <rhumb/pde/text/code_cache.hpp>
#include <rhumb/pde/text/program.hpp>

namespace rhumb::text {

/// From now on these programs, which have names of their own, run as compiled code, for as long as what is returned
/// lives. Collective. Throws as compile_or_load does.
CompiledCode compile_programs(MPI_Comm comm, const std::vector<std::pair<Program*, std::string>>& programs);

} // namespace rhumb::text
