#include "peers.hpp"
#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/check.hpp>
#include <limits>
#include <map>

namespace rhumb::bench {

using core::check;

namespace {
bdf::IntegratorOptions options_of(const Task& task) {
  bdf::IntegratorOptions options;
  options.resumable = false; // no other code here is
  options.tolerances = {.rtol = task.rtol, .atol = task.rtol, .atol_of_field = task.floor};
  for (double& atol : options.tolerances.atol_of_field) atol *= task.rtol;
  return options;
}

/// To rounding; what then need not be searched takes no memory that would count.
bool consistent(const Task& task) {
  for (const auto& field : task.problem.fields())
    if (field.kind >= dae::Kind::index2) return false; // there are hidden constraints
  const auto residual = task.problem.create_vector();
  PetscReal largest = 0.0;
  task.problem.residual(0.0, task.start.y, task.start.ydot, residual);
  check(VecNorm(residual, NORM_INFINITY, &largest));
  return largest <= 4.0 * std::numeric_limits<double>::epsilon();
}
} // namespace

void find_start(Task& task) {
  task.start = {task.problem.create_vector(), task.problem.create_vector()};
  task.problem.initial_values(0.0, task.start.y, task.start.ydot);
  if (consistent(task)) return;
  bdf::Integrator integrator(task.problem, options_of(task));
  integrator.start(0.0, task.times.back());
  check(VecCopy(integrator.state(), task.start.y));
  check(VecCopy(integrator.derivative(), task.start.ydot));
}

namespace {
/// Begins where the other codes begin.
class Started : public Counted {
public:
  explicit Started(const Task& task) : Counted(task.problem), start_(task.start) {}
  void initial_values(double, Vec y, Vec ydot) override {
    check(VecCopy(start_.y, y));
    check(VecCopy(start_.ydot, ydot));
  }

private:
  const Start& start_;
};

/// GMRES multiplies as it does by itself: by the problem's product, where the matrix serves the preconditioner alone.
class WithProduct final : public Started {
public:
  explicit WithProduct(const Task& task) : Started(task), problem_(task.problem) {}
  dae::Offers offers() const override {
    auto offers = Started::offers();
    offers.product = problem_.offers().product;
    return offers;
  }
  void product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec out) override {
    problem_.product(t, y, ydot, alpha, v, out);
  }

private:
  dae::Problem& problem_;
};

Cost integrate(const Task& task, const bdf::IntegratorOptions& options, Started&& system, const Watch& watch) {
  const auto y = task.problem.create_vector();
  bdf::Integrator integrator(system, options);
  const double before = cpu_now();
  integrator.start(0.0, task.times.back());
  for (std::size_t k = 0; k < task.times.size(); ++k) {
    if (integrator.time() < task.times[k]) integrator.advance(task.times[k]); // a step may pass several of them
    integrator.interpolate(task.times[k], y, nullptr);
    watch(k, y);
  }
  const double seconds = cpu_now() - before;
  const auto s = integrator.statistics();
  return {s.steps, system.residuals, s.pc_setups, s.newton_iterations, s.linear_iterations, seconds};
}
} // namespace

Cost run_rhumb(const Task& task, const std::string& variant, const Watch& watch) {
  const std::map<std::string, bdf::ErrorTest> tests{
      {"automatic", bdf::ErrorTest::automatic}, {"product", bdf::ErrorTest::automatic},
      {"standard", bdf::ErrorTest::standard},   {"exclude", bdf::ErrorTest::exclude},
      {"filter", bdf::ErrorTest::filter},       {"strong", bdf::ErrorTest::strong}};
  bdf::IntegratorOptions options = options_of(task);
  options.error_test = tests.at(variant);
  options.start = bdf::Start::given;
  return variant == "product" ? integrate(task, options, WithProduct(task), watch)
                              : integrate(task, options, Started(task), watch);
}

} // namespace rhumb::bench
