#include "solve.hpp"

#include "interrupt.hpp"
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/run/unread.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::python {

using core::check;

namespace {

py::array_t<double> copy_of(Vec vector) {
  const core::Readable values(vector);
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.begin());
}

/// The states at the times asked for and dy/dp there, interpolated straight into the rows of numpy arrays.
class Evaluation {
public:
  Evaluation(const SolveRequest& request, std::size_t size) : size_(static_cast<PetscInt>(size)) {
    if (!request.t_eval) return;
    times_ = *request.t_eval;
    for (std::size_t i = 0; i <= request.sensitivities.size(); ++i)
      values_.emplace_back(std::vector<py::ssize_t>{times_.size(), static_cast<py::ssize_t>(size)});
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size_, nullptr, row_.out()));
  }

  /// Serves the times up to `reached`, in the integrator's last step.
  void serve(const bdf::Integrator& integrator, double reached) {
    for (; next_ < times_.size() && times_.at(next_) <= reached; ++next_)
      for (std::size_t i = 0; i < values_.size(); ++i) {
        check(VecPlaceArray(row_, values_[i].mutable_data(next_, 0)));
        fill_row(integrator, times_.at(next_), i);
        check(VecResetArray(row_));
      }
  }

  /// The rows of y that were served.
  py::array_t<double> states() const { return values_.empty() ? py::array_t<double>() : rows(0); }
  std::vector<py::array_t<double>> sensitivities() const {
    std::vector<py::array_t<double>> out;
    for (std::size_t i = 1; i < values_.size(); ++i) out.push_back(rows(i));
    return out;
  }

private:
  void fill_row(const bdf::Integrator& integrator, double t, std::size_t i) {
    if (i > 0)
      integrator.interpolate_sensitivity(i - 1, t, row_, nullptr);
    else if (t == integrator.time())
      check(VecCopy(integrator.state(), row_));
    else
      integrator.interpolate(t, row_, nullptr);
  }
  py::array_t<double> rows(std::size_t i) const {
    if (next_ == times_.size()) return values_[i];
    return py::array_t<double>(values_[i][py::slice(0, next_, 1)]);
  }

  PetscInt size_;
  py::array_t<double> times_;
  std::vector<py::array_t<double>> values_; ///< of y, then of each dy/dp
  core::VecHandle row_;
  py::ssize_t next_ = 0;
};

/// Output times up to here can be served; at the time of a pending event they wait for what it leaves.
double reached(const bdf::Integrator& integrator) {
  if (!integrator.pending_event()) return integrator.time();
  return std::nextafter(integrator.time(), integrator.previous_time());
}

void note_event(const bdf::Integrator& integrator, SolveResult& result) {
  if (const auto& event = integrator.pending_event())
    result.events.push_back({event->t, event->which, copy_of(integrator.state())});
}

void run(const SolveRequest& request, bdf::Integrator& integrator, Evaluation& evaluation, SolveResult& result) {
  const auto record = [&](const auto& into) {
    if (!request.dense_output) return;
    into(result.trajectory);
    for (auto& trajectory : result.sensitivity_trajectories) into(trajectory);
  };
  record([&](auto& trajectory) { trajectory.begin(integrator); });
  evaluation.serve(integrator, integrator.time());
  while (integrator.time() < request.t1 || integrator.pending_event()) {
    if (Interrupt::received() != 0) {
      result.reason = "interrupted";
      result.message = "stopped by Ctrl-C";
      return;
    }
    const bdf::StepOutcome progress = integrator.step();
    record([&](auto& trajectory) { trajectory.add(integrator, progress); });
    note_event(integrator, result);
    evaluation.serve(integrator, reached(integrator));
    if (!progress.stopped) continue;
    result.reason = "stopped_by_event";
    return;
  }
}

bdf::IntegratorOptions options_of(const SolveRequest& request, Vec atol) {
  bdf::IntegratorOptions out;
  out.tolerances.rtol = request.rtol;
  if (request.atol.size() == 1)
    out.tolerances.atol = request.atol.at(0);
  else
    out.tolerances.atol_vector = atol;
  out.max_order = request.max_order;
  out.h0 = request.first_step;
  out.h_max = request.max_step;
  out.max_steps = request.max_steps;
  out.error_test = request.error_test;
  out.start = request.start;
  out.resumable = false;
  for (const std::size_t index : request.sensitivities) out.sensitivities.parameters.push_back({index});
  out.sensitivities.in_error_test = request.sensitivity_errors;
  return out;
}

std::vector<py::array_t<double>> last_sensitivities(const bdf::Integrator& integrator) {
  std::vector<py::array_t<double>> out;
  const core::VecHandle s = integrator.new_vector();
  for (std::size_t i = 0; i < integrator.sensitivities(); ++i) {
    integrator.interpolate_sensitivity(i, integrator.time(), s, nullptr);
    out.push_back(copy_of(s));
  }
  return out;
}

void fail(SolveResult& result, const char* reason, const std::exception& failure) {
  result.reason = reason;
  result.message = failure.what();
}
} // namespace

SolveResult solve_functions(Functions functions, const SolveRequest& request) {
  const Interrupt interrupt;
  FunctionSystem system(std::move(functions), request.t0);
  core::VecHandle atol;
  if (request.atol.size() > 1) {
    atol = system.create_vector();
    std::copy_n(request.atol.data(), request.atol.size(), core::Writable(atol).begin());
  }
  const core::Options options(request.options);
  const core::PetscOptionsScope scope(options); // those of the program around are not ours
  bdf::Integrator integrator(system, options_of(request, atol));
  run::reject_unknown_options(options, "dae_", run::Moment::before_start);
  SolveResult result;
  for (std::size_t i = 0; i < request.sensitivities.size(); ++i) result.sensitivity_trajectories.emplace_back(i);
  Evaluation evaluation(request, system.size());
  bool started = false;
  try {
    integrator.stop_at(request.t1); // the functions are asked for nothing beyond
    integrator.start(request.t0, request.t1);
    started = true;
    run(request, integrator, evaluation, result);
    run::reject_unknown_options(options, "dae_", run::Moment::after_first_step);
  } catch (const core::SolverGaveUp& failure) {
    fail(result, "solver_gave_up", failure);
  }
  result.statistics = integrator.statistics();
  result.t = std::min(integrator.time(), request.t1);
  result.y_end = readable(integrator.state()); // holds the vector, not a copy
  result.y_eval = evaluation.states();
  result.sensitivities_eval = evaluation.sensitivities();
  if (started) result.sensitivities_end = last_sensitivities(integrator);
  return result;
}

} // namespace rhumb::python
