/// One problem, one code, some tolerances:
///   bench_peers -problem NAME -code rhumb|ida|ts|daspk -variant WORD -rtol X,... [-n N -c C -form F] [-save FILE |
///   -truth FILE | -truth none]
/// prints one line of JSON per tolerance. -save keeps the solution at the output times, -truth compares with a kept
/// one (`none`: nothing is kept or compared, for the memory); without it the exact solution of the problem, or the
/// table in the problem's file, is the truth.

#include "mesh/cases.hpp"
#include "peers.hpp"
#include "problems.hpp"
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/core/session.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <sys/resource.h>

namespace rhumb::bench {

using core::check;

double cpu_now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

core::VecHandle atol_vector(const Task& task) {
  auto atol = task.problem.create_vector();
  const core::Writable values(atol);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = task.rtol * task.floor[task.problem.field_of(static_cast<PetscInt>(i))];
  return atol;
}

namespace {

using Rows = std::vector<std::vector<double>>;

/// Where the error is measured: at the problem's own times (Robertson's 0.4*10^k, those of a front), else at 20 equal
/// steps.
std::vector<double> output_times(const dae::Problem& problem) {
  if (auto times = problem.watch_times(); !times.empty()) return times;
  constexpr int count = 20;
  std::vector<double> times;
  for (int k = 1; k <= count; ++k) times.push_back(problem.t_end() * k / count);
  return times;
}

Rows read_rows(const std::string& file) {
  std::ifstream stream(file);
  Rows rows;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream numbers(line);
    auto& row = rows.emplace_back();
    for (double value = 0.0; numbers >> value;) row.push_back(value);
  }
  return rows;
}

Rows exact_rows(const Task& task) {
  Rows rows;
  const auto y = task.problem.create_vector();
  for (const double t : task.times) {
    task.problem.exact(t, y);
    const core::Readable values(y);
    rows.emplace_back(values.begin(), values.end());
  }
  return rows;
}

double distance(const Task& task, const std::vector<double>& y, const std::vector<double>& truth) {
  double sum = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto field = static_cast<std::size_t>(task.problem.field_of(static_cast<PetscInt>(i)));
    const double e = (y[i] - truth[i]) / (std::abs(truth[i]) + task.floor[field]);
    sum += e * e;
  }
  return std::sqrt(sum / static_cast<double>(y.size()));
}

Cost run_code(const std::string& code, const std::string& variant, const Task& task, const Watch& watch) {
  if (code == "ts") return run_ts(task, variant, watch);
#ifdef RHUMB_BENCH_IDA
  if (code == "ida") return run_ida(task, variant, watch);
#endif
#ifdef RHUMB_BENCH_DASPK
  if (code == "daspk") return run_daspk(task, variant, watch);
#endif
  if (code == "rhumb") return run_rhumb(task, variant, watch);
  throw core::BadInput("no code '" + code + "' in this build");
}

/// What the words ask for beside the problem and its tolerance.
struct Wish {
  std::string code, variant, save, truth;
};

/// The least of several runs: a run of a millisecond is soon disturbed, and the first one pays for loading libraries.
Cost least_of_several(const Wish& wish, const Task& task, const Watch& watch) {
  constexpr double enough_seconds = 0.1;
  constexpr int most_runs = 30;
  Cost least = run_code(wish.code, wish.variant, task, watch);
  double spent = least.cpu_seconds;
  for (int i = 1; i < most_runs && spent < enough_seconds; ++i) {
    const Cost cost = run_code(wish.code, wish.variant, task, watch);
    spent += cost.cpu_seconds;
    least.cpu_seconds = std::min(least.cpu_seconds, cost.cpu_seconds);
  }
  return least;
}

/// The largest memory so far, in MiB, without the pages of files: libraries bring more or fewer of them, by the
/// megabyte, from run to run.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  double kib = 0.0, sum = 0.0;
  for (std::string word; status >> word;) {
    if (word == "VmHWM:" && status >> kib) sum += kib;
    if ((word == "RssFile:" || word == "RssShmem:") && status >> kib) sum -= kib;
  }
  return sum / 1024.0;
}

void print(double rtol, const Cost& cost, double error) {
  std::printf("{\"rtol\": %.0e, \"error\": %.6e, \"steps\": %ld, \"residuals\": %ld, \"setups\": %ld, \"newton\": %ld, "
              "\"linear\": %ld, \"cpu_seconds\": %.6f, \"peak_mib\": %.2f}\n",
              rtol, error, cost.steps, cost.residuals, cost.setups, cost.newton, cost.linear, cost.cpu_seconds,
              peak_memory());
}

void save_rows(const Rows& rows, const std::string& name) {
  std::ofstream file(name);
  file << std::setprecision(17);
  for (const auto& row : rows) {
    for (const double value : row) file << value << ' ';
    file << '\n';
  }
}

void measure(Task& task, const Wish& wish) {
  find_start(task);
  Rows rows(task.times.size());
  const bool compares = wish.truth != "none";
  const auto keep = [&](std::size_t k, Vec y) {
    if (!compares) return;
    const core::Readable values(y);
    rows[k].assign(values.begin(), values.end());
  };
  const Cost cost = least_of_several(wish, task, keep);
  if (!compares) {
    print(task.rtol, cost, 0.0);
    return;
  }
  if (!wish.save.empty()) save_rows(rows, wish.save);
  const Rows truth = !wish.truth.empty()           ? read_rows(wish.truth)
                     : task.problem.offers().exact ? exact_rows(task)
                                                   : rows;
  if (truth.size() != rows.size() || truth.front().size() != rows.front().size())
    throw core::BadInput("the truth in '" + wish.truth + "' is not one of this problem");
  double error = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k) error = std::max(error, distance(task, rows[k], truth[k]));
  print(task.rtol, cost, error);
}

/// A failure at one tolerance is a figure too.
void measure_or_say_why(Task task, const Wish& wish) {
  try {
    measure(task, wish);
  } catch (const std::exception& failure) {
    std::string why = failure.what();
    std::ranges::replace_if(
        why, [](char c) { return c == '"' || c == '\n' || c == '\\'; }, ' ');
    std::printf("{\"rtol\": %.0e, \"failed\": \"%s\"}\n", task.rtol, why.c_str());
  }
  std::fflush(stdout);
}

std::unique_ptr<dae::Problem> make(MPI_Comm comm, const core::Options& options) {
  const std::string name = options.string("problem", "robertson", {"which"});
  if (name == "heat") return heat_box(comm, options);
  if (name == "reaction") return mesh_cases::reaction(comm, options);
  return problems::make(comm, options);
}

Algebra algebra_of(const dae::Problem& problem) {
  constexpr PetscInt largest_dense = 50;
  PetscInt size = 0;
  const auto model = problem.create_vector();
  check(VecGetSize(model, &size));
  if (size <= largest_dense) return Algebra::dense;
  return problem.name() == "reaction" ? Algebra::sparse : Algebra::krylov;
}

void measure_all(int argc, char** argv) {
  const core::Options options(argc, argv);
  const core::PetscOptionsScope scope(options);
  const auto problem = make(PETSC_COMM_WORLD, options);
  const Wish wish{options.string("code", "rhumb", {"whose"}), options.string("variant", "automatic", {"which"}),
                  options.string("save", "", {"file for the solution"}), options.string("truth", "", {"file with it"})};
  auto floor = options.reals("floor", {1.0}, {"per field"});
  floor.resize(problem->fields().size(), floor.back());
  for (const double rtol : options.reals("rtol", {1e-4}, {"tolerances"}))
    measure_or_say_why({*problem, rtol, floor, output_times(*problem), algebra_of(*problem), {}}, wish);
}

} // namespace
} // namespace rhumb::bench

int main(int argc, char** argv) {
  try {
    const rhumb::core::Session session(argc, argv);
    rhumb::bench::measure_all(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_peers: %s\n", failure.what());
    return 1;
  }
}
