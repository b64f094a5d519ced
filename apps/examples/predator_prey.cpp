/// Predator and prey in a strip that exchanges prey with its surroundings: fields that may not become negative, and
/// Robin sides.
///
///   prey'     = d1 laplace(prey)     + prey (1 - prey) - prey predator
///   predator' = d2 laplace(predator) + predator (2 prey - 1)
///   d1 d(prey)/dn = h (outside - prey) on the left and the right; nothing else flows through the sides
///
///   build/apps/predator_prey -n 200 -out out/predator_prey

#include <rhumb/pde/box/kernel_system.hpp>
#include <rhumb/run/run.hpp>

using namespace rhumb;
using dae::Sign;

class PredatorPrey : public box::KernelSystem<PredatorPrey, 2> {
public:
  PredatorPrey(MPI_Comm comm, const core::Options& options)
      : KernelSystem(comm, options, {.cells = {200}, .upper = {20.0, 20.0, 20.0}},
                     {{.name = "prey", .sign = Sign::nonnegative, .sign_slack = 1e-9},
                      {.name = "predator", .sign = Sign::nonnegative, .sign_slack = 1e-9}}),
        exchange_(options.real("exchange", 1.0, {"h, exchange of prey at the ends"}, core::Range::at_least(0.0))),
        outside_(options.real("outside", 0.2, {"prey beyond the ends"}, core::Range::at_least(0.0))) {}

  std::string name() const override { return "predator_prey"; }
  double t_end() const override { return 100.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-5, .atol = 1e-8}; }

  Values initial(const box::Point& p) const { return {1.0, p.x < 2.0 ? 0.5 : 0.0}; }

  RHUMB_INLINE auto equation(const auto& u, const auto& rate, const box::Point&) const {
    return std::array{rate[0] - prey_diffusivity * laplacian(u, 0) - u[0] * (1.0 - u[0]) + u[0] * u[1],
                      rate[1] - predator_diffusivity * laplacian(u, 1) - u[1] * (2.0 * u[0] - 1.0)};
  }

  /// A point on a side has half a cell, so that the flux q into the body counts as 2 q / h.
  RHUMB_INLINE auto boundary(const auto& u, const auto& rate, const box::Point& p) const {
    auto values = equation(u, rate, p);
    if (p.on(box::Side::left) || p.on(box::Side::right))
      values[0] -= 2.0 * u.inverse_h[0] * exchange_ * (outside_ - u[0]);
    return values;
  }

  /// The least value of both fields shows whether one became negative; the prey at the left end, whether the side is right.
  dae::Figures report(double, Vec y, Vec) override {
    PetscInt where = 0;
    double least = 0.0;
    core::check(VecMin(y, &where, &least));
    return {{"least_value", least}, {"left_prey", left_prey(y)}};
  }

private:
  static constexpr double prey_diffusivity = 1.0, predator_diffusivity = 0.5;

  double left_prey(Vec y) const {
    double value = 0.0;
    const core::Readable values(y);
    for (PetscInt i = 0; i < box().owned_nodes(); ++i)
      if (point(i, 0.0).on(box::Side::left)) value = std::max(value, values[2 * i]);
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, box().comm()));
    return value;
  }

  double exchange_, outside_;
};

int main(int argc, char** argv) {
  return run::run<PredatorPrey>(argc, argv);
}
