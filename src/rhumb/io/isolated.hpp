#pragma once
/// A stranger's file is read in a process of its own. A checksum says that a file is as it was written, not that it was
/// written with good intentions; HDF5 trusts the structure that it finds, and a crafted one makes it crash, loop or
/// allocate without end (1.10.8). The child has limits on memory and time, and only what it sends back is used.

#include <functional>
#include <string>

namespace rhumb::io {

/// Sends a record to the parent.
using Send = std::function<void(const std::string& record)>;

/// Runs `body` in a child process and hands each record it sends to `take`, here. An exception of `body` is thrown here
/// as core::BadInput or core::InputOutput, a crash or a standstill of the child as core::InputOutput. `body` must make
/// no call of MPI or PETSc.
void run_isolated(const std::function<void(const Send&)>& body, const std::function<void(std::string record)>& take);

} // namespace rhumb::io
