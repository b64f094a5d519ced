/// Schnakenberg's activator and substrate on any plane mesh: two fields in a weak form, and a Robin side.
///
///   u' = laplace(u)   + g (a - u + u^2 v)
///   v' = d laplace(v) + g (b - u^2 v)
///   d dv/dn = h (outside - v) on all named boundaries; of u nothing flows through them
///
///   mpirun -n 2 build/apps/schnakenberg -mesh meshes/lshape.msh -order 2 -out out/schnakenberg

#include <rhumb/pde/fem/weak_system.hpp>
#include <rhumb/run/run.hpp>

using namespace rhumb;

class Schnakenberg : public fem::WeakSystem<Schnakenberg, 2, 2> {
public:
  Schnakenberg(MPI_Comm comm, const core::Options& options)
      : WeakSystem(grid::read_mesh(comm, options), {{"u", "", "activator"}, {"v", "", "substrate"}},
                   std::vector(2, fem::read_order(options))),
        a_(options.real("a", 0.1, {"supply of u"})), b_(options.real("b", 0.9, {"supply of v"})),
        g_(options.real("g", 500.0, {"speed of the reaction"}, core::Range::positive())),
        d_(options.real("d", 20.0, {"diffusivity of v, over that of u"}, core::Range::positive())),
        exchange_(options.real("exchange", 0.0, {"h, exchange of v at the boundaries"}, core::Range::at_least(0.0))),
        outside_(options.real("outside", 0.9, {"v beyond the boundaries"})) {}

  std::string name() const override { return "schnakenberg"; }
  double t_end() const override { return 1.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-4, .atol = 1e-6}; }

  /// The state at rest, and a bump of u.
  double initial(int component, const fem::Position& x) const {
    const double u = a_ + b_;
    return component == 0 ? u + 0.1 * std::cos(3.0 * x[0]) * std::cos(2.0 * x[1]) : b_ / (u * u);
  }

  template <class S>
  fem::Terms<S, 2, 2> cell(const fem::State<S, 2, 2>& at, const fem::QuadraturePoint&) const {
    const S &u = at.value[0], &v = at.value[1];
    const S meeting = u * u * v;
    return {.source = {at.rate[0] - g_ * (a_ - u + meeting), at.rate[1] - g_ * (b_ - meeting)},
            .flux = {{at.gradient[0], {d_ * at.gradient[1][0], d_ * at.gradient[1][1]}}}};
  }

  /// Minus what flows in.
  template <class S>
  fem::Terms<S, 2, 2> facet(const fem::State<S, 2, 2>& at, const fem::QuadraturePoint&) const {
    return {.source = {S(0.0), exchange_ * (at.value[1] - outside_)}};
  }

  /// As large systems of several fields have it anyway; here for small ones, too.
  void configure(PC preconditioner, Mat) const override { precondition_by_field(preconditioner); }

private:
  double a_, b_, g_, d_, exchange_, outside_;
};

int main(int argc, char** argv) {
  return run::run<Schnakenberg>(argc, argv);
}
