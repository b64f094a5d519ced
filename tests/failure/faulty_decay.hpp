#pragma once
/// A problem that goes wrong when told to: y_i' = -k_i y_i with y_i(0) = 1, and a fault at a chosen call of the
/// residual on a chosen rank. The exact solution is known, so a false success cannot hide.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <sys/resource.h>
#include <thread>

namespace rhumb::test {

class FaultyDecay : public dae::Problem {
public:
  FaultyDecay(MPI_Comm comm, const core::Options& options) {
    fault_ = options.choice("fault", "none", {"none", "nan", "recoverable", "logic_error", "number"},
                            {"what the residual does wrong"});
    first_call_ = options.integer("fault_call", 1, {"the call that goes wrong first"}, core::Range::at_least(1));
    calls_ = options.integer("fault_calls", 1, {"how many calls go wrong"}, core::Range::at_least(1));
    fault_rank_ = options.integer("fault_rank", 0, {"the rank where they do"}, core::Range::at_least(0));
    place_ = options.choice("fault_place", "residual",
                            {"residual", "constructor", "after_step", "report", "watch", "barrier"},
                            {"where a logic_error is thrown"});
    unknowns_ = options.integer("unknowns", 6, {"size of the system"}, core::Range::at_least(1));
    signal_step_ = options.integer("signal_step", 0, {"raise SIGTERM after this step; 0: never"});
    pause_ = options.real("pause", 0.0, {"wait after every step", "s"}, core::Range::at_least(0.0));
    stop_time_ = options.real("stop_time", -1.0, {"an event ends the run here; negative: none", "time"});
    switch_time_ = options.real("switch_time", -1.0, {"an event switches here; negative: none", "time"});
    limit_files(options.integer("file_limit", 0, {"no file grows beyond; 0: no limit", "bytes"}));
    core::check_mpi(MPI_Comm_rank(comm, &rank_));
    throw_if_at("constructor");
  }

  std::string name() const override { return "faulty_decay"; }
  std::vector<std::string> options_free_to_change() const override {
    return {"fault", "fault_call", "fault_calls", "fault_rank", "fault_place", "signal_step", "pause", "file_limit"};
  }
  double t_end() const override { return 1.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-6, .atol = 1e-9}; }
  std::vector<dae::Field> fields() const override { return {{.name = "y", .unit = "K", .long_name = "what decays"}}; }

  core::VecHandle create_vector() const override {
    core::VecHandle y;
    core::check(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, static_cast<PetscInt>(unknowns_), y.out()));
    return y;
  }

  void initial_values(double t, Vec y, Vec ydot) override {
    const core::Writable value(y);
    const core::Writable ydot_values(ydot);
    for (std::size_t i = 0; i < value.size(); ++i) {
      value[i] = exact_value(t, y, i);
      ydot_values[i] = -rate(y, i) * value[i];
    }
  }

  void residual(double, Vec y, Vec ydot, Vec residual) override {
    const core::Readable value(y);
    const core::Readable ydot_values(ydot);
    const core::Writable out(residual);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = ydot_values[i] + rate(y, i) * value[i];
    ++call_;
    if (place_ != "residual" || rank_ != fault_rank_ || call_ < first_call_ || call_ >= first_call_ + calls_) return;
    if (fault_ == "recoverable") throw core::Recoverable("no value here");
    if (fault_ == "logic_error") throw std::logic_error("the residual is wrong");
    if (fault_ == "number") throw 7;
    if (fault_ == "nan")
      for (double& entry : out.span()) entry = std::numeric_limits<double>::quiet_NaN();
  }

  std::vector<dae::Event> events() const override {
    if (switch_time_ >= 0.0) return {{.name = "switch"}};
    if (stop_time_ < 0.0) return {};
    return {{.name = "enough"}};
  }
  void event_values(double t, Vec, Vec, std::span<double> values) override {
    values[0] = t - (switch_time_ >= 0.0 ? switch_time_ : stop_time_);
  }
  dae::AfterEvent on_event(double, std::span<const int>, Vec, Vec) override {
    if (switch_time_ < 0.0) return dae::AfterEvent::stop;
    switched_ = true;
    return dae::AfterEvent::go_on;
  }

  std::vector<double> watch_times() const override { return {0.0, 0.5}; }
  void watch(double t, Vec y, Vec) override {
    watched_error_ = std::max(watched_error_, error(t, y));
    watched_switched_ = switched_;
    if (t > 0.0) throw_if_at("watch");
  }
  void after_step(double t, Vec, Vec) override {
    if (t == t_start()) return;
    throw_if_at("after_step");
    throw_if_at("barrier");
    if (place_ == "barrier") core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD)); // the others wait for the rank that left
    if (++steps_ == signal_step_ && rank_ == fault_rank_) std::raise(SIGTERM);
    if (pause_ > 0.0) std::this_thread::sleep_for(std::chrono::duration<double>(pause_));
  }
  dae::Figures report(double t, Vec y, Vec) override {
    const double all_ranks = error(t, y); // before the fault: the other ranks are in this call too
    throw_if_at("report");
    return {{"error", all_ranks},
            {"watched_error", watched_error_},
            {"calls", static_cast<double>(call_)},
            {"switched", switched_ ? 1.0 : 0.0},
            {"watched_switched", watched_switched_ ? 1.0 : 0.0}};
  }
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec) override { return {{"error", error(t, y)}}; }

private:
  /// Writes beyond fail as they do on a full disk.
  static void limit_files(long bytes) {
    if (bytes == 0) return;
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
    setrlimit(RLIMIT_FSIZE, &limit);
  }

  static double rate(Vec y, std::size_t i) {
    PetscInt first = 0;
    core::check(VecGetOwnershipRange(y, &first, nullptr));
    return 1.0 + 0.5 * static_cast<double>(first + static_cast<PetscInt>(i));
  }
  static double exact_value(double t, Vec y, std::size_t i) { return std::exp(-rate(y, i) * t); }

  double error(double t, Vec y) const {
    const core::Readable value(y);
    double largest = 0.0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const double difference = std::abs(value[i] - exact_value(t, y, i));
      largest = difference <= largest ? largest : difference; // NaN wins
    }
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    return largest;
  }

  void throw_if_at(const std::string& place) const {
    if (place_ == place && rank_ == fault_rank_) throw std::logic_error("wrong in " + place);
  }

  std::string fault_, place_;
  long first_call_, calls_, fault_rank_, unknowns_, signal_step_;
  double pause_, stop_time_, switch_time_;
  bool switched_ = false, watched_switched_ = false;
  long call_ = 0;
  long steps_ = 0;
  int rank_ = 0;
  double watched_error_ = 0.0;
};

} // namespace rhumb::test
