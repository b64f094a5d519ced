#pragma once
/// What stands in a checkpoint beside its vectors. One rank reads it, in a process of its own; all ranks get it.

#include <rhumb/io/checkpoint.hpp>
#include <cstdint>

namespace rhumb::io {

struct CheckpointHead {
  Identity identity;
  Restart restart;                                            ///< without vectors
  std::vector<std::pair<std::string, std::uint64_t>> vectors; ///< where each begins in the file
};

/// Throws core::InputOutput when the file does not hold what a checkpoint holds, even if its seal is good. Collective.
CheckpointHead read_head(MPI_Comm comm, const Path& file);

} // namespace rhumb::io
