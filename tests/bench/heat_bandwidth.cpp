/// How much of the machine's memory bandwidth the heat residual and the matrix-free product reach, beside STREAM's
/// triad measured between them in the same run. Bytes are counted as STREAM counts them: each array that must be read
/// or written, once. Prints peak memory per unknown as well.
///
///   mpirun -n 1 build/tests/bench/bench_heat_bandwidth [-n2 1024] [-n3 192] [-repeats 40]

#include <rhumb/core/check.hpp>
#include <rhumb/core/session.hpp>
#include <rhumb/physics/heat/heat.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <vector>

using namespace rhumb;

namespace {

template <class Body>
double seconds(Body&& body) {
  core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD));
  const double start = MPI_Wtime();
  body();
  core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD));
  return MPI_Wtime() - start;
}

/// a = b + s c on arrays of the size of the rank's vector, as STREAM has it.
class Triad {
public:
  explicit Triad(std::size_t size) : a_(size, 1.0), b_(size, 2.0), c_(size, 0.5) {}
  void operator()() {
    double* __restrict a = a_.data();
    const double *b = b_.data(), *c = c_.data();
    for (std::size_t i = 0; i < a_.size(); ++i) a[i] = b[i] + 3.0 * c[i];
  }

private:
  std::vector<double> a_, b_, c_;
};

heat::Case uniform_case(std::vector<PetscInt> cells) {
  core::Options options;
  auto read = heat::read_case(options);
  read.shape.cells = std::move(cells);
  for (std::size_t side = 0; side < 2 * read.shape.cells.size(); ++side) {
    read.walls[side].type = heat::Wall::Type::dirichlet;
    read.walls[side].value = heat::Expression("value", "0", "");
  }
  return read;
}

void measure(const char* label, std::vector<PetscInt> cells, PetscInt repeats) {
  const auto problem = heat::make_heat_of(PETSC_COMM_WORLD, uniform_case(std::move(cells)));
  const auto y = problem->create_vector(), ydot = problem->create_vector(), v = problem->create_vector(),
             out = problem->create_vector();
  for (Vec vector : {y.get(), ydot.get(), v.get()}) core::check(VecSet(vector, 0.5));
  PetscInt local = 0, global = 0;
  core::check(VecGetLocalSize(y, &local));
  core::check(VecGetSize(y, &global));
  Triad triad(static_cast<std::size_t>(local));
  double best_triad = 1e9, best_residual = 1e9, best_product = 1e9;
  for (PetscInt i = 0; i < repeats; ++i) {
    best_triad = std::min(best_triad, seconds(triad));
    best_residual = std::min(best_residual, seconds([&] { problem->residual(0.0, y, ydot, out); }));
    best_product = std::min(best_product, seconds([&] { problem->product(0.0, y, ydot, 1e3, v, out); }));
  }
  const double n = static_cast<double>(global) * 8e-9;
  const double stream = 3.0 * n / best_triad, residual = 3.0 * n / best_residual, product = 2.0 * n / best_product;
  core::check(
      PetscPrintf(PETSC_COMM_WORLD, "%s",
                  fmt::format("{}: triad {:.2f} GB/s; residual {:.2f} GB/s ({:.0f} % of triad, {:.2f} ms); product "
                              "{:.2f} GB/s ({:.0f} %, {:.2f} ms)\n",
                              label, stream, residual, 100.0 * residual / stream, 1e3 * best_residual, product,
                              100.0 * product / stream, 1e3 * best_product)
                      .c_str()));
}

} // namespace

int main(int argc, char** argv) {
  core::Session session(argc, argv);
  PetscInt n2 = 1024, n3 = 192, repeats = 40;
  core::check(PetscOptionsGetInt(nullptr, nullptr, "-n2", &n2, nullptr));
  core::check(PetscOptionsGetInt(nullptr, nullptr, "-n3", &n3, nullptr));
  core::check(PetscOptionsGetInt(nullptr, nullptr, "-repeats", &repeats, nullptr));
  measure("2-D", {n2, n2}, repeats);
  measure("3-D", {n3, n3, n3}, repeats);
}
