/// Robertson's reaction as a DAE, from one function: prints y at three times.

#include <rhumb/bdf/solve.hpp>
#include <cstdio>

int main() {
  const auto reaction = [](double, auto y, auto ydot, auto f) {
    f[0] = ydot[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
    f[1] = ydot[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
    f[2] = y[0] + y[1] + y[2] - 1.0;
  };
  const auto s = rhumb::solve({.residual = reaction, .y = {1, 0, 0}}, {0, 4e10}, {.rtol = 1e-5, .atol = 1e-10});
  for (const double t : {0.4, 4e3, 4e10}) std::printf("%8.1e  %.6e %.6e %.6e\n", t, s(t)[0], s(t)[1], s(t)[2]);
  return s.done() ? 0 : 1;
}
