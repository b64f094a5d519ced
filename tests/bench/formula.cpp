/// formulas of case files: nanoseconds of CPU per point, one point at a time and many, in double and in duals

#include <rhumb/core/formula.hpp>
#include <ctime>
#include <fmt/format.h>

using rhumb::core::Dual;
using rhumb::core::Formula;

namespace {

constexpr std::size_t points = 1000;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The least of several measurements: others use the machine too.
template <class Work>
double nanoseconds_per_point(const Work& work) {
  double least = 1e9;
  for (int measurement = 0; measurement < 15; ++measurement) {
    int rounds = 0;
    const double begin = cpu_seconds();
    double seconds = 0.0;
    do {
      work();
      ++rounds;
    } while ((seconds = cpu_seconds() - begin) < 0.01);
    least = std::min(least, 1e9 * seconds / (rounds * static_cast<double>(points)));
  }
  return least;
}

/// x, y, t and T, with directions for T where there are any; y and t are the same everywhere.
template <class S>
struct Inputs {
  std::vector<std::array<S, 4>> rows;
  std::array<std::vector<S>, 4> columns;

  Inputs() {
    for (std::size_t i = 0; i < points; ++i) {
      const auto at = static_cast<double>(i) + 0.5;
      std::array<S, 4> row{S(at / points), S(0.3), S(0.7), S(300.0 + 0.1 * at)};
      if constexpr (!std::is_same_v<S, double>) row[3].derivatives[0] = 1.0;
      rows.push_back(row);
      for (std::size_t v = 0; v < 4; ++v) columns[v].push_back(row[v]);
    }
  }
};

template <class S>
std::array<double, 2> measure(const Formula& formula) {
  static const Inputs<S> inputs;
  std::vector<S> results(points);
  const double one = nanoseconds_per_point([&] {
    for (std::size_t i = 0; i < points; ++i) results[i] = formula(std::span<const S>(inputs.rows[i]));
  });
  const std::array<Formula::Column<S>, 4> columns{{{inputs.columns[0].data()},
                                                   {inputs.columns[1].data(), true},
                                                   {inputs.columns[2].data(), true},
                                                   {inputs.columns[3].data()}}};
  const double many = nanoseconds_per_point([&] { formula.evaluate<S>(columns, points, results.data()); });
  return {one, many};
}

} // namespace

int main() {
  fmt::print("{:44}{:>14}{:>14}{:>14}\n{:44}{:>14}{:>14}{:>14}\n", "ns per point: one at a time, many at once",
             "double", "1 direction", "9 directions", "", "one   many", "one   many", "one   many");
  for (const char* text :
       {"0.8*(1 + 1e-3*(T - 300))", "148*(300/T)^1.3", "300 + 10*sin(2*pi*t/86400)", "0.8e8*(1 + tanh(20*sin(2*pi*t)))",
        "exp(-((x - 0.3)/0.03)^2)", "1e-3*x - T", "T*(1 - T)*(T - 0.3)/(1 + T^2)",
        "x > 0.2 && x < 0.4 && y > 0.1 && y < 0.6", "x < 0.5 ? 1 + x : 2 - T"}) {
    const auto formula = rhumb::core::parse_formula(text, {{"x", "y", "t", "T"}});
    fmt::print("{:44}", text);
    for (const auto& [one, many] : {measure<double>(formula), measure<Dual<1>>(formula), measure<Dual<9>>(formula)})
      fmt::print("{:7.1f}{:7.1f}", one, many);
    fmt::print("\n");
  }
}
