#include "bdf/integrator.hpp"
#include "core/check.hpp"
#include "peers.hpp"
#include <map>

namespace rhumb::bench {

using core::check;

namespace {
bdf::Options options_of(const Task& task, Vec atol) {
  bdf::Options options;
  options.tolerances = {.rtol = task.rtol, .atol = task.rtol, .atol_vector = atol};
  return options;
}
} // namespace

void find_start(Task& task) {
  const auto atol = atol_vector(task);
  bdf::Integrator integrator(task.problem, options_of(task, atol));
  integrator.start(0.0, task.times.back());
  task.start = {integrator.new_vector(), integrator.new_vector()};
  check(VecCopy(integrator.state(), task.start.y));
  check(VecCopy(integrator.derivative(), task.start.ydot));
}

namespace {
/// Begins where the other codes begin.
class Started final : public Counted {
public:
  explicit Started(const Task& task) : Counted(task.problem), start_(task.start) {}
  void initial_values(double, Vec y, Vec ydot) override {
    check(VecCopy(start_.y, y));
    check(VecCopy(start_.ydot, ydot));
  }

private:
  const Start& start_;
};
} // namespace

Cost run_rhumb(const Task& task, const std::string& error_test, const Watch& watch) {
  const std::map<std::string, bdf::ErrorTest> tests{{"automatic", bdf::ErrorTest::automatic},
                                                    {"standard", bdf::ErrorTest::standard},
                                                    {"exclude", bdf::ErrorTest::exclude},
                                                    {"filter", bdf::ErrorTest::filter},
                                                    {"strong", bdf::ErrorTest::strong}};
  const auto atol = atol_vector(task);
  bdf::Options options = options_of(task, atol);
  options.error_test = tests.at(error_test);
  options.start = bdf::Start::given;
  Started system(task);
  const auto y = task.problem.create_vector();
  bdf::Integrator integrator(system, options);
  const double before = cpu_now();
  integrator.start(0.0, task.times.back());
  for (std::size_t k = 0; k < task.times.size(); ++k) {
    integrator.advance(task.times[k]);
    integrator.interpolate(task.times[k], y, nullptr);
    watch(k, y);
  }
  const double seconds = cpu_now() - before;
  const auto s = integrator.statistics();
  return {s.steps, system.residuals, s.pc_setups, s.newton_iterations, s.linear_iterations, seconds};
}

} // namespace rhumb::bench
