/// A program outside the tree: y' = -y, y(0) = 1, to t = 1.

#include "core/check.hpp"
#include "io/io.hpp"
#include <rhumb/rhumb.hpp>
#include <rhumb/version.hpp>
#include <cmath>

class Decay : public rhumb::dae::System {
public:
  std::vector<rhumb::dae::Field> fields() const override { return {{"y"}}; }
  rhumb::core::VecHandle create_vector() const override {
    rhumb::core::VecHandle y;
    rhumb::core::check(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, 1, y.out()));
    return y;
  }
  void initial_values(double, Vec y, Vec ydot) override {
    rhumb::core::check(VecSet(y, 1.0));
    rhumb::core::check(VecSet(ydot, -1.0));
  }
  void residual(double, Vec y, Vec ydot, Vec residual) override {
    rhumb::core::check(VecWAXPY(residual, 1.0, y, ydot)); // F = y' + y
  }
};

int main(int argc, char** argv) {
  rhumb::core::Session session(argc, argv);
  Decay decay;
  rhumb::bdf::IntegratorOptions options;
  options.tolerances = {.rtol = 1e-6, .atol = 1e-9};
  rhumb::bdf::Integrator integrator(decay, options);
  integrator.start(0.0, 1.0);
  integrator.advance(1.0);
  auto y = decay.create_vector();
  integrator.interpolate(1.0, y, nullptr);
  double value = 0.0;
  rhumb::core::check(VecNorm(y, NORM_2, &value));
  std::printf("Rhumb %s\n", rhumb::version);
  outside::print("y(1)", value);
  return outside::close(value, std::exp(-1.0), 1e-5) ? 0 : 1;
}
