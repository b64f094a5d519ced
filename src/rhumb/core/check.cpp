#include <rhumb/core/check.hpp>

#include <rhumb/core/guard.hpp>
#include <array>
#include <fmt/format.h>
#include <petscsys.h>

namespace rhumb::core {

namespace {
std::string location(const std::source_location& where) {
  return fmt::format("{}:{}", where.file_name(), where.line());
}
} // namespace

void throw_petsc(int petsc_code, std::source_location where) {
  rethrow_kept_exception();
  const char* text = nullptr;
  PetscErrorMessage(petsc_code, &text, nullptr);
  const std::string detail = take_petsc_message();
  throw LibraryError(petsc_code, fmt::format("PETSc error {} at {}: {}{}{}", petsc_code, location(where),
                                             text ? text : "unknown", detail.empty() ? "" : ": ", detail));
}

void throw_mpi(int mpi_code, std::source_location where) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(mpi_code, text.data(), &length);
  throw LibraryError(mpi_code, fmt::format("MPI error {} at {}: {}", mpi_code, location(where), text.data()));
}

} // namespace rhumb::core
