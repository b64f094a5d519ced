/// Robertson's problem from functions (rhumb::solve), and as a dae::System: counts and CPU side by side.

#include <rhumb/bdf/solve.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/session.hpp>
#include <cstdio>
#include <ctime>

using namespace rhumb;

namespace {

constexpr int repetitions = 200;
constexpr double t_end = 4e10, rtol = 1e-4;
const std::vector<double> atols{1e-8, 1e-12, 1e-8};

void evaluate(std::span<const double> y, std::span<const double> ydot, std::span<double> f) {
  f[0] = ydot[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
  f[1] = ydot[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
  f[2] = y[0] + y[1] + y[2] - 1.0;
}

class Robertson final : public dae::System {
public:
  std::vector<dae::Field> fields() const override {
    return {{.name = "y1"}, {.name = "y2"}, {.name = "y3", .kind = dae::Kind::index1}};
  }
  int field_of(PetscInt local) const override { return static_cast<int>(local); }
  core::VecHandle create_vector() const override {
    core::VecHandle y;
    core::check(VecCreateSeq(PETSC_COMM_SELF, 3, y.out()));
    return y;
  }
  void initial_values(double, Vec y, Vec ydot) override {
    core::check(VecSet(y, 0.0));
    core::check(VecSet(ydot, 0.0));
    core::check(VecSetValue(y, 0, 1.0, INSERT_VALUES));
    core::check(VecAssemblyBegin(y));
    core::check(VecAssemblyEnd(y));
  }
  void residual(double, Vec y, Vec ydot, Vec residual) override {
    const core::Readable value(y), rate(ydot);
    const core::Writable f(residual);
    evaluate(value.span(), rate.span(), f.span());
  }
};

struct Cost {
  bdf::Statistics statistics;
  double y3 = 0.0;
  double seconds = 0.0; ///< of CPU, one run
};

template <class Run>
Cost measure(Run&& run) {
  Cost cost;
  const std::clock_t begin = std::clock();
  for (int i = 0; i < repetitions; ++i) run(cost);
  cost.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / repetitions;
  return cost;
}

void print(const char* name, const Cost& cost) {
  std::printf("%-14s %6ld steps %6ld residuals   y3(4) %.6f   %.3f ms\n", name, cost.statistics.steps,
              cost.statistics.residual_evals, cost.y3, 1e3 * cost.seconds);
}

} // namespace

int main() {
  const core::Session session;
  const Cost functions = measure([](Cost& cost) {
    const auto s =
        solve({.residual = [](double, auto y, auto ydot, auto f) { evaluate(y, ydot, f); }, .y = {1.0, 0.0, 0.0}},
              {0.0, t_end}, {.rtol = rtol, .atols = atols});
    cost.statistics = s.statistics;
    cost.y3 = s(4.0)[2];
  });
  const Cost system = measure([](Cost& cost) {
    Robertson robertson;
    bdf::IntegratorOptions options;
    options.tolerances = {.rtol = rtol, .atol_of_field = atols};
    bdf::Integrator integrator(robertson, options);
    integrator.start(0.0, t_end);
    integrator.advance(4.0);
    const auto y = integrator.new_vector();
    integrator.interpolate(4.0, y, nullptr);
    cost.y3 = core::Readable(y)[2];
    integrator.advance(t_end);
    cost.statistics = integrator.statistics();
  });
  print("functions", functions);
  print("dae::System", system);
  std::printf("ratio of CPU %.2f\n", functions.seconds / system.seconds);
}
