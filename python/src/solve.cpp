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

/// The states at the times asked for, interpolated straight into the rows of a numpy array.
class Evaluation {
public:
  Evaluation(const SolveRequest& request, std::size_t size) : size_(static_cast<PetscInt>(size)) {
    if (!request.t_eval) return;
    times_ = *request.t_eval;
    values_ = py::array_t<double>({times_.size(), static_cast<py::ssize_t>(size)});
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size_, nullptr, row_.out()));
  }

  /// Serves the times up to `reached`, in the integrator's last step.
  void serve(const bdf::Integrator& integrator, double reached) {
    for (; next_ < times_.size() && times_.at(next_) <= reached; ++next_) {
      check(VecPlaceArray(row_, values_.mutable_data(next_, 0)));
      if (times_.at(next_) == integrator.time())
        check(VecCopy(integrator.state(), row_));
      else
        integrator.interpolate(times_.at(next_), row_, nullptr);
      check(VecResetArray(row_));
    }
  }

  /// The rows that were served.
  py::array_t<double> rows() const {
    if (next_ == times_.size()) return values_;
    return py::array_t<double>(values_[py::slice(0, next_, 1)]);
  }

private:
  PetscInt size_;
  py::array_t<double> times_, values_;
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
  if (request.dense_output) result.trajectory.begin(integrator);
  evaluation.serve(integrator, integrator.time());
  while (integrator.time() < request.t1 || integrator.pending_event()) {
    if (Interrupt::received() != 0) {
      result.reason = "interrupted";
      result.message = "stopped by Ctrl-C";
      return;
    }
    const bdf::StepOutcome progress = integrator.step();
    if (request.dense_output) result.trajectory.add(integrator, progress);
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
  Evaluation evaluation(request, system.size());
  try {
    integrator.stop_at(request.t1); // the functions are asked for nothing beyond
    integrator.start(request.t0, request.t1);
    run(request, integrator, evaluation, result);
    run::reject_unknown_options(options, "dae_", run::Moment::after_first_step);
  } catch (const core::SolverGaveUp& failure) {
    fail(result, "solver_gave_up", failure);
  }
  result.statistics = integrator.statistics();
  result.t = std::min(integrator.time(), request.t1);
  result.y_end = readable(integrator.state()); // holds the vector, not a copy
  result.y_eval = evaluation.rows();
  return result;
}

} // namespace rhumb::python
