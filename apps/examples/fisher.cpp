/// Fisher's equation u_t = D laplace(u) + r u (1 - u) on a box in one, two or three dimensions, no flux through the
/// sides. A population that starts at the left spreads as a front whose speed tends to 2 sqrt(r D).
///
///   mpirun -n 2 build/apps/fisher -n 2000 -out out/fisher

#include <rhumb/pde/box/kernel_system.hpp>
#include <rhumb/run/run.hpp>

using namespace rhumb;

class Fisher : public box::KernelSystem<Fisher, 1> {
public:
  Fisher(MPI_Comm comm, const core::Options& options)
      : KernelSystem(comm, options, {.cells = {1600}, .upper = {400.0, 10.0, 10.0}}, {{"u", "", "population"}}),
        D_(options.real("D", 1.0, {"diffusivity", "m^2/s"}, core::Range::positive())),
        r_(options.real("r", 1.0, {"growth rate", "1/s"}, core::Range::positive())) {}

  std::string name() const override { return "fisher"; }
  double t_end() const override { return 80.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-5, .atol = 1e-10}; }

  double initial(const box::Point& p) const { return p.x < 5.0 ? 1.0 : 0.0; }

  RHUMB_INLINE auto equation(const auto& u, const auto& rate, const box::Point&) const {
    return rate[0] - D_ * laplacian(u) - r_ * u[0] * (1.0 - u[0]);
  }

  dae::Figures report(double, Vec u, Vec rate) override {
    double growth = 0.0, length = box().shape().upper[0] - box().shape().lower[0];
    PetscInt points = 0;
    core::check(VecSum(rate, &growth)); // the filled part grows by the front's speed
    core::check(VecGetSize(u, &points));
    return {{"front_speed", growth / static_cast<double>(points) * length}};
  }

private:
  double D_, r_;
};

int main(int argc, char** argv) {
  return run::run<Fisher>(argc, argv);
}
