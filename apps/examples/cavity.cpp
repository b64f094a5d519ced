/// A lid-driven cavity from code: no argv, no files, the states in memory.

#include <rhumb/core/check.hpp>
#include <rhumb/core/session.hpp>
#include <rhumb/physics/flow/flow.hpp>
#include <rhumb/run/integrate.hpp>
#include <cstdio>

int main() {
  const rhumb::core::Session session; // MPI and PETSc
  const auto flow = rhumb::flow::make_flow(
      PETSC_COMM_WORLD, rhumb::Options().with("problem", "cavity").with("re", 400).with("n", "32,32"));
  const rhumb::Solution s = rhumb::integrate(*flow, {.t_end = 2.0, .rtol = 1e-4, .output_times = {0.5, 1.0, 2.0}});
  if (!s.done()) std::fprintf(stderr, "%s\n", s.message().c_str());
  for (const double t : s.output_times) {
    double speed = 0.0;
    rhumb::core::check(VecNorm(s.at(t), NORM_INFINITY, &speed));
    std::printf("t = %.1f, largest entry %.4f\n", t, speed);
  }
  std::printf("%ld steps, divergence %.1e\n", s.statistics().steps, s.value("divergence"));
  return s.done() ? 0 : 1;
}
