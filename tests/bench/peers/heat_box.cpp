#include "peers.hpp"
#include <rhumb/pde/box/kernel_system.hpp>
#include <cmath>
#include <numbers>

namespace rhumb::bench {

namespace {

class HeatBox final : public box::KernelSystem<HeatBox, 1> {
public:
  HeatBox(MPI_Comm comm, const core::Options& options)
      : KernelSystem(comm, options, {.cells = {60, 60}}, {{.name = "u"}}),
        preconditioner_(options.choice("preconditioner", "ilu", {"ilu", "hypre"}, {"for GMRES"})) {}

  std::string name() const override { return "heat"; }
  double t_end() const override { return 0.2; }
  dae::Offers offers() const override { return {.jacobian = true, .product = true, .exact = true}; }
  void configure(PC pc, Mat) const override {
    core::check(PCSetType(pc, preconditioner_ == "ilu" ? PCILU : PCHYPRE));
    if (preconditioner_ == "hypre") core::check(PCHYPRESetType(pc, "boomeramg"));
  }

  RHUMB_INLINE auto equation(const auto& u, const auto& rate, const box::Point&) const {
    return rate[0] - laplacian(u);
  }
  double initial(const box::Point& p) const { return solution(p, 1.0, 1.0); }
  void exact(double t, Vec y) const override {
    const double first = std::exp(-decay(1) * t), third = std::exp(-decay(3) * t);
    const core::Writable values(y);
    for (PetscInt owned = 0; owned < box().owned_nodes(); ++owned)
      values[owned] = solution(point(owned, t), first, third);
  }

private:
  /// The modes (1, 1) and (3, 3) with these amplitudes, the second half as large; a cosine of 0 in directions that the
  /// box does not have.
  static double solution(const box::Point& p, double first, double third) {
    return first * mode(1, p) + 0.5 * third * mode(3, p);
  }
  static double mode(int k, const box::Point& p) {
    const auto cosine = [k](double x) { return std::cos(k * std::numbers::pi * x); };
    return cosine(p.x) * cosine(p.y) * cosine(p.z);
  }
  /// The eigenvalue of the differences for the mode (k, k).
  double decay(int k) const {
    double sum = 0.0;
    for (int d = 0; d < box().shape().dimension(); ++d) {
      const double h = box().shape().spacing(d);
      sum += 2.0 / (h * h) * (1.0 - std::cos(k * std::numbers::pi * h));
    }
    return sum;
  }

  std::string preconditioner_;
};

} // namespace

std::unique_ptr<dae::Problem> heat_box(MPI_Comm comm, const core::Options& options) {
  return std::make_unique<HeatBox>(comm, options);
}

} // namespace rhumb::bench
