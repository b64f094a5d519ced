/// Gray and Scott's reaction u + 2 v -> 3 v, v -> p on a periodic square: two fields that meet in both equations.
///
///   u' = Du laplace(u) - u v^2 + F (1 - u)
///   v' = Dv laplace(v) + u v^2 - (F + k) v
///
///   mpirun -n 2 build/apps/gray_scott -n 128,128 -t_end 2000 -out out/gray_scott

#include <rhumb/pde/box/kernel_system.hpp>
#include <rhumb/run/run.hpp>

using namespace rhumb;

class GrayScott : public box::KernelSystem<GrayScott, 2> {
public:
  GrayScott(MPI_Comm comm, const core::Options& options)
      : KernelSystem(comm, options, {.cells = {64, 64}, .upper = {2.5, 2.5, 2.5}, .periodic = {true, true, true}},
                     {{"u", "", "substrate"}, {"v", "", "activator"}}),
        feed_(options.real("feed", 0.024, {"F, feed rate"}, core::Range::positive())),
        kill_(options.real("kill", 0.06, {"k, removal rate of v"}, core::Range::positive())) {}

  std::string name() const override { return "gray_scott"; }
  double t_end() const override { return 500.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-5, .atol = 1e-7}; }

  /// v in a patch of bumps in the middle, u used up there (Hundsdorfer and Verwer's start).
  Values initial(const box::Point& p) const {
    const auto bump = [](double x) { return x < 1.0 || x > 1.5 ? 0.0 : std::pow(std::sin(4.0 * M_PI * x), 2); };
    const double v = 0.25 * bump(p.x) * bump(p.y);
    return {1.0 - 2.0 * v, v};
  }

  RHUMB_INLINE auto equation(const auto& u, const auto& rate, const box::Point&) const {
    const auto reaction = u[0] * u[1] * u[1];
    return std::array{rate[0] - 8e-5 * laplacian(u, 0) + reaction - feed_ * (1.0 - u[0]),
                      rate[1] - 4e-5 * laplacian(u, 1) - reaction + (feed_ + kill_) * u[1]};
  }

  dae::Figures report(double, Vec y, Vec) override {
    double sums[2] = {0.0, 0.0};
    const core::Readable values(y);
    for (std::size_t i = 0; i < values.size(); ++i) sums[i % 2] += values[i];
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, box().comm()));
    PetscInt entries = 0;
    core::check(VecGetSize(y, &entries));
    return {{"u_mean", 2.0 * sums[0] / static_cast<double>(entries)},
            {"v_mean", 2.0 * sums[1] / static_cast<double>(entries)}};
  }

private:
  double feed_, kill_;
};

int main(int argc, char** argv) {
  return run::run<GrayScott>(argc, argv);
}
