/// What an evaluation costs: equations from text, interpreted and compiled, against the same as a kernel in C++.
#include "../pde/by_hand.hpp"
#include <rhumb/core/session.hpp>
#include <rhumb/pde/text/box_system.hpp>
#include <rhumb/run/integrate.hpp>
#include <ctime>
#include <functional>

using namespace rhumb;
using core::check;

namespace {

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// CPU nanoseconds per call and point: the best of several rounds.
double cost(int points, const std::function<void()>& call) {
  double best = 1e300;
  call();
  for (int round = 0; round < 7; ++round) {
    const double start = seconds();
    int calls = 0;
    do {
      call();
      ++calls;
    } while (seconds() - start < 0.05);
    best = std::min(best, (seconds() - start) / calls);
  }
  return 1e9 * best / points;
}

struct Costs {
  double residual, product, jacobian;
};

Costs costs(dae::Problem& problem, int points) {
  const auto y = problem.create_vector(), ydot = core::same_layout(y), v = core::same_layout(y),
             out = core::same_layout(y);
  for (Vec vector : {y.get(), ydot.get(), v.get()}) check(VecSetRandom(vector, nullptr));
  const auto matrix = problem.create_matrix();
  return {cost(points, [&] { problem.residual(0.0, y, ydot, out); }),
          cost(points, [&] { problem.product(0.0, y, ydot, 2.0, v, out); }),
          cost(points, [&] { problem.jacobian(0.0, y, ydot, 2.0, matrix); })};
}

/// CPU seconds of a whole run, and its steps, with one preconditioner for all.
double run_cost(dae::Problem& problem, const std::string& name, long& steps) {
  const std::map<std::string, double> ends{{"gray_scott", 100}, {"cahn_hilliard", 2e-3}, {"fitzhugh_nagumo", 2}};
  const core::Options solver({{"dae_pc_type", "asm"}, {"dae_sub_pc_type", "ilu"}, {"dae_sub_pc_factor_levels", "1"}});
  const double start = seconds();
  const auto solution = integrate(problem, {.t_end = ends.at(name), .rtol = 1e-4, .atol = 1e-5, .options = solver});
  if (!solution.done()) std::printf("%s\n", solution.message().c_str());
  steps = solution.statistics().steps;
  return seconds() - start;
}

void measure(const std::string& name) {
  constexpr int n = 256;
  Costs base{};
  double base_run = 0.0;
  for (const char* way : {"C++ kernel", "compiled", "interpreted"}) {
    auto text = by_hand::text(name, n);
    text["compile"] = way[2] == 'm' ? "yes" : "no";
    const auto problem = way[0] == 'C' ? by_hand::kernel(PETSC_COMM_WORLD, name, n)
                                       : text::make_pde(PETSC_COMM_WORLD, core::Options(text));
    const Costs now = costs(*problem, n * n);
    long steps = 0;
    const double run = run_cost(*problem, name, steps);
    if (way[0] == 'C') base = now, base_run = run;
    std::printf("%-16s %-12s %8.2f %8.2f %8.2f %8.2f %6ld   ratios %.2f %.2f %.2f %.2f\n", name.c_str(), way,
                now.residual, now.product, now.jacobian, run, steps, now.residual / base.residual,
                now.product / base.product, now.jacobian / base.jacobian, run / base_run);
  }
}

} // namespace

int main(int argc, char** argv) {
  const core::Session session(argc, argv);
  std::printf(
      "CPU: nanoseconds per point of an evaluation, seconds of a run, 256 x 256\n%-16s %-12s %8s %8s %8s %8s %6s\n",
      "case", "way", "residual", "product", "jacobian", "run", "steps");
  for (const auto& name : by_hand::names) measure(name);
}
