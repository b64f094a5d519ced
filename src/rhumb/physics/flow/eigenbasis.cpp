#include <rhumb/physics/flow/eigenbasis.hpp>

#include <fmt/format.h>
#include <petscsys.h>
// after PETSc itself
#include <petscblaslapack.h>
#include <stdexcept>

namespace rhumb::flow {

namespace {
void check_lapack(const char* routine, PetscBLASInt info) {
  if (info != 0)
    throw std::runtime_error(
        fmt::format("eigenvectors of the pressure Laplacian: LAPACK's {} gives {}", routine, info));
}
} // namespace

Eigenbasis tridiagonal_eigenbasis(std::vector<double> diagonal, std::vector<double> beside) {
  const std::size_t size = diagonal.size();
  Eigenbasis out{std::vector<double>(size), std::vector<double>(size * size)};
  beside.resize(size); // stegr uses the last entry as workspace
  const auto n = static_cast<PetscBLASInt>(size);
  const PetscBLASInt work_size = 18 * n, integers = 10 * n, unused_index = 0;
  std::vector<double> work(18 * size);
  std::vector<PetscBLASInt> support(2 * size), integer_work(10 * size);
  const double unused = 0.0;
  PetscBLASInt found = 0, info = 0;
  LAPACKstegr_("V", "A", &n, diagonal.data(), beside.data(), &unused, &unused, &unused_index, &unused_index, &unused,
               &found, out.values.data(), out.vectors.data(), &n, support.data(), work.data(), &work_size,
               integer_work.data(), &integers, &info);
  check_lapack("stegr", info);
  return out;
}

Eigenbasis symmetric_eigenbasis(std::vector<double> matrix, std::size_t size) {
  Eigenbasis out{std::vector<double>(size), std::move(matrix)};
  const auto n = static_cast<PetscBLASInt>(size);
  const PetscBLASInt work_size = 4 * n;
  std::vector<double> work(4 * size);
  PetscBLASInt info = 0;
  LAPACKsyev_("V", "U", &n, out.vectors.data(), &n, out.values.data(), work.data(), &work_size, &info);
  check_lapack("syev", info);
  return out;
}

} // namespace rhumb::flow
