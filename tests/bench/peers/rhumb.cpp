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

Start consistent_start(const Task& task) {
  const auto atol = atol_vector(task);
  bdf::Integrator integrator(task.problem, options_of(task, atol));
  integrator.start(0.0, task.times.back());
  Start start{integrator.new_vector(), integrator.new_vector()};
  check(VecCopy(integrator.state(), start.y));
  check(VecCopy(integrator.derivative(), start.ydot));
  return start;
}

Cost run_rhumb(const Task& task, const std::string& error_test, const Watch& watch) {
  const std::map<std::string, bdf::ErrorTest> tests{{"automatic", bdf::ErrorTest::automatic},
                                                    {"standard", bdf::ErrorTest::standard},
                                                    {"exclude", bdf::ErrorTest::exclude},
                                                    {"filter", bdf::ErrorTest::filter},
                                                    {"strong", bdf::ErrorTest::strong}};
  const auto atol = atol_vector(task);
  bdf::Options options = options_of(task, atol);
  options.error_test = tests.at(error_test);
  Counted system(task.problem);
  const auto y = task.problem.create_vector();
  const double before = cpu_now();
  bdf::Integrator integrator(system, options);
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
