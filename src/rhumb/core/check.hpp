#pragma once
/// Every PETSc and MPI return code goes through `check` (HDF5 has its own in io): a failure becomes an exception that
/// carries the library's message and the place of the call.

#include <mpi.h>
#include <source_location>
#include <stdexcept>

namespace rhumb::core {

/// A library call failed. `code()` is the library's own number.
class LibraryError : public std::runtime_error {
public:
  LibraryError(int code, const std::string& what) : std::runtime_error(what), code_(code) {}
  int code() const { return code_; }

private:
  int code_;
};

[[noreturn]] void throw_petsc(int code, std::source_location where);
[[noreturn]] void throw_mpi(int code, std::source_location where);

/// Throws when a PETSc call failed. If the failure is an exception that `guard` kept from crossing a C frame, that
/// exception itself continues here.
inline void check(int petsc_code, std::source_location where = std::source_location::current()) {
  if (petsc_code != 0) [[unlikely]]
    throw_petsc(petsc_code, where);
}

/// Throws when an MPI call failed.
inline void check_mpi(int mpi_code, std::source_location where = std::source_location::current()) {
  if (mpi_code != MPI_SUCCESS) [[unlikely]]
    throw_mpi(mpi_code, where);
}

} // namespace rhumb::core
