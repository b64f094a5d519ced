/// Cahn and Hilliard's equation, two phases that separate, as a system of second order: c and its chemical potential w,
/// which has no derivative in time and is therefore an algebraic variable (index 1), found by the system itself.
///
///   c' = laplace(w),   0 = w - (c^3 - c) + eps^2 laplace(c)
///
/// Nothing flows through the sides: the mean of c stays, the energy falls.
///
///   build/apps/cahn_hilliard -n 64,64 -out out/cahn_hilliard

#include <rhumb/pde/box/kernel_system.hpp>
#include <rhumb/run/run.hpp>

using namespace rhumb;

class CahnHilliard : public box::KernelSystem<CahnHilliard, 2> {
public:
  CahnHilliard(MPI_Comm comm, const core::Options& options)
      : KernelSystem(comm, options, {.cells = {64, 64}},
                     {{"c", "", "difference of concentrations"}, {"w", "", "chemical potential"}}),
        eps_(options.real("eps", 0.02, {"thickness of the layer between phases"}, core::Range::positive())) {}

  std::string name() const override { return "cahn_hilliard"; }
  double t_end() const override { return 0.1; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-4, .atol = 1e-5}; }

  Values initial(const box::Point& p) const {
    const double wave = std::cos(2.0 * M_PI * p.x) * std::cos(3.0 * M_PI * p.y) + std::cos(5.0 * M_PI * p.x);
    return {0.1 * wave, 0.0};
  }

  RHUMB_INLINE auto equation(const auto& u, const auto& rate, const box::Point&) const {
    const auto& c = u[0];
    return std::array{rate[0] - laplacian(u, 1), u[1] - (c * c * c - c) + eps_ * eps_ * laplacian(u, 0)};
  }

  dae::Figures report(double, Vec y, Vec) override {
    double sums[2] = {0.0, 0.0}, largest = 0.0; // weights of trapezoids: a point on a side has half a cell
    const core::Readable values(y);
    for (PetscInt i = 0; i < box().owned_nodes(); ++i) {
      const double c = values[2 * i];
      const double weight = std::pow(0.5, std::popcount(point(i, 0.0).sides));
      sums[0] += weight * c;
      sums[1] += weight;
      largest = std::max(largest, std::abs(c));
    }
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, box().comm()));
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, box().comm()));
    return {{"c_mean", sums[0] / sums[1]}, {"c_largest", largest}};
  }

private:
  double eps_;
};

int main(int argc, char** argv) {
  return run::run<CahnHilliard>(argc, argv);
}
