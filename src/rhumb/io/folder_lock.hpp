#pragma once
/// One run in a folder at a time. The lock is the system's (flock) on `<folder>/run.lock`: it goes with the process,
/// however that ends, so a crash leaves a file that the next run takes over. The file says which host and process has
/// it; where another host is named the system's word may not reach that far, and the run is refused.

#include <rhumb/io/atomic_file.hpp>
#include <mpi.h>

namespace rhumb::io {

class FolderLock {
public:
  /// The folder is there. Collective: throws core::InputOutput on all ranks when another run has it.
  FolderLock(MPI_Comm comm, const Path& folder);
  /// Removes the file.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

private:
  void acquire();
  bool try_acquire();

  Path file_;
  int descriptor_ = -1; ///< on rank 0
};

} // namespace rhumb::io
