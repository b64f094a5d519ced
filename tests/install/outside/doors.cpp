/// A problem of Rhumb and one of this program's own, from code, twice, on the two halves of the ranks: no argv, no
/// file, and the states are read from memory.

#include "core/check.hpp"
#include "io/io.hpp"
#include <rhumb/bdf/solve.hpp>
#include <rhumb/physics/heat/heat.hpp>
#include <rhumb/rhumb.hpp>
#include <cmath>
#include <numbers>

namespace {

/// y' = -y on any number of ranks.
class Decay : public rhumb::dae::Problem {
public:
  explicit Decay(MPI_Comm comm) : comm_(comm) {}
  std::string name() const override { return "decay"; }
  double t_end() const override { return 1.0; }
  std::vector<rhumb::dae::Field> fields() const override { return {{"y"}}; }
  rhumb::core::VecHandle create_vector() const override {
    rhumb::core::VecHandle y;
    rhumb::core::check(VecCreateMPI(comm_, 3, PETSC_DETERMINE, y.out()));
    return y;
  }
  void initial_values(double, Vec y, Vec ydot) override {
    rhumb::core::check(VecSet(y, 1.0));
    rhumb::core::check(VecSet(ydot, -1.0));
  }
  void residual(double, Vec y, Vec ydot, Vec residual) override {
    rhumb::core::check(VecWAXPY(residual, 1.0, y, ydot));
  }

private:
  MPI_Comm comm_;
};

double largest(Vec y) {
  double value = 0.0;
  rhumb::core::check(VecMax(y, nullptr, &value));
  return value;
}

bool both(MPI_Comm comm) {
  auto rod = rhumb::heat::make_heat(comm, rhumb::Options()
                                              .with("n", 64)
                                              .with("initial", "sin(pi*x)")
                                              .with("bc_left_type", "dirichlet")
                                              .with("bc_left_value", "0")
                                              .with("bc_right_type", "dirichlet")
                                              .with("bc_right_value", "0"));
  const rhumb::Solution heat = rhumb::integrate(*rod, {.t_end = 0.1, .rtol = 1e-6, .output_times = {0.05}});
  const double expected = std::exp(-std::numbers::pi * std::numbers::pi * 0.05);
  Decay decay(comm);
  const rhumb::Solution user_solution =
      rhumb::integrate(decay, {.rtol = 1e-6, .atol = 1e-9, .output_times = {0.5, 1.0}});
  return heat.done() && outside::close(largest(heat.at(0.05)), expected, 1e-3) && user_solution.done() &&
         outside::close(largest(user_solution.at(1.0)), std::exp(-1.0), 1e-5);
}

} // namespace

int main() {
  const rhumb::core::Session session;
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2 ? 0 : 1, rank, &half);
  const bool good = both(half) && both(half);
  MPI_Comm_free(&half);
  const auto small = rhumb::solve({.rate = [](double, auto y, auto ydot) { ydot[0] = -y[0]; }, .y = {1.0}}, {0.0, 1.0});
  if (rank == 0) outside::print("y(1)", small(1.0)[0]);
  return good && outside::close(small(1.0)[0], std::exp(-1.0), 1e-3) ? 0 : 1;
}
