#include <rhumb/core/memory.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <petscsys.h>
#include <sys/resource.h>

namespace rhumb::core {

namespace {
constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The first number in a file of the kernel's; infinite where there is none ("max").
double number_in(const std::string& file) {
  std::ifstream stream(file);
  double value = 0.0;
  return stream >> value ? value : unlimited;
}

double free_memory() {
  std::ifstream stream("/proc/meminfo");
  std::string name, unit;
  for (double kib = 0.0; stream >> name >> kib; std::getline(stream, unit))
    if (name == "MemAvailable:") return 1024.0 * kib;
  return unlimited;
}

/// Lines of /proc/self/cgroup are number:controllers:path; the second version has no controllers.
double limit_of_control_group() {
  double limit = std::min(number_in("/sys/fs/cgroup/memory.max"),
                          number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")); // as a container sees them
  std::ifstream stream("/proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty()) limit = std::min(limit, number_in("/sys/fs/cgroup" + path + "/memory.max"));
    if (controllers == "memory")
      limit = std::min(limit, number_in("/sys/fs/cgroup/memory" + path + "/memory.limit_in_bytes"));
  }
  return limit;
}

double limit_of_process() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  return static_cast<double>(limit.rlim_cur);
}

int ranks_of_machine(MPI_Comm comm) {
  MPI_Comm here = MPI_COMM_NULL;
  int ranks = 1;
  check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here));
  check_mpi(MPI_Comm_size(here, &ranks));
  check_mpi(MPI_Comm_free(&here));
  return ranks;
}
} // namespace

double available_memory() {
  return std::min({free_memory(), limit_of_control_group(), limit_of_process()});
}

double least_memory(double unknowns, double entries) {
  constexpr double vectors = 16; // y, y', residual, weights, corrections, and the history of a method of order 5
  return unknowns * (vectors * sizeof(PetscScalar) + entries * (sizeof(PetscScalar) + sizeof(PetscInt)));
}

void check_memory_demand(MPI_Comm comm, double unknowns, double entries, const std::string& what) {
  if (unknowns > static_cast<double>(std::numeric_limits<PetscInt>::max()))
    throw BadInput(fmt::format("{}: {:.3g} unknowns are more than PETSc's indices can count here ({})", what, unknowns,
                               std::numeric_limits<PetscInt>::max()));
  int ranks = 1;
  check_mpi(MPI_Comm_size(comm, &ranks));
  const double here = ranks_of_machine(comm);
  // What the whole problem may take if this machine is not to overflow; the tightest machine decides.
  double most = available_memory() * static_cast<double>(ranks) / here;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MIN, comm));
  const double least = least_memory(unknowns, entries);
  if (least > most)
    throw BadInput(fmt::format("{}: {:.3g} unknowns need {} of memory at least, and there are {} for {} rank{}: a "
                               "smaller problem or more machines",
                               what, unknowns, bytes_text(least), bytes_text(most), ranks, ranks == 1 ? "" : "s"));
}

std::string bytes_text(double bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024.0 && unit + 1 < units.size(); ++unit) bytes /= 1024.0;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

} // namespace rhumb::core
