/// Burgers' equation u_t + u u_x = nu u_xx on a line whose ends are held at the values of a travelling wave: a PDE with a
/// boundary condition of its own and a known solution.
///
///   build/apps/burgers -n 400 -nu 0.02 -out out/burgers

#include <rhumb/pde/box/kernel_system.hpp>
#include <rhumb/run/run.hpp>
#include <cmath>

using namespace rhumb;

class Burgers : public box::KernelSystem<Burgers, 1> {
public:
  Burgers(MPI_Comm comm, const core::Options& options)
      : KernelSystem(comm, options, {.cells = {400}, .lower = {-1.0, 0.0, 0.0}, .upper = {3.0, 1.0, 1.0}},
                     {{"u", "m/s", "speed"}}),
        nu_(options.real("nu", 0.02, {"viscosity", "m^2/s"}, core::Range::positive())) {
    if (box().shape().dimension() != 1) throw core::BadInput("-n: this problem has one dimension");
  }

  std::string name() const override { return "burgers"; }
  double t_end() const override { return 2.0; }

  double wave(double x, double t) const { return 0.5 - 0.5 * std::tanh((x - 0.5 * t) / (4.0 * nu_)); }
  double initial(const box::Point& p) const { return wave(p.x, p.t); }

  RHUMB_INLINE auto equation(const auto& u, const auto& rate, const box::Point&) const {
    return rate[0] + u[0] * gradient(u, 0) - nu_ * laplacian(u);
  }
  auto boundary(const auto& u, const auto&, const box::Point& p) const { return u[0] - wave(p.x, p.t); }

  dae::Figures report(double t, Vec u, Vec) override {
    double error = 0.0;
    const core::Readable values(u);
    for (PetscInt i = 0; i < box().owned_nodes(); ++i)
      error = std::max(error, std::abs(values[i] - wave(point(i, t).x, t)));
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, box().comm()));
    return {{"error_max", error}};
  }

private:
  double nu_;
};

int main(int argc, char** argv) {
  return run::run<Burgers>(argc, argv);
}
