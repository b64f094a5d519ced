#pragma once
/// All ranks end a phase together: when a rank failed, every rank learns the exit code and the message and throws the
/// same `Ended`. The ranks talk on a communicator of their own, so a rank that failed in the middle of somebody's
/// collective call cannot be taken for a partner in it; if the others then never come, the run is aborted with the
/// message rather than left hanging.

#include <rhumb/core/failure.hpp>
#include <mpi.h>
#include <stdexcept>
#include <utility>

namespace rhumb::run {

/// The run is over, on all ranks, with the same code and message.
class Ended : public std::runtime_error {
public:
  Ended(core::ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  core::ExitCode code() const { return code_; }

private:
  core::ExitCode code_;
};

/// What a rank asks of all ranks at the end of a phase.
struct StopRequest {
  int signal = 0;          ///< the signal that came
  int over_wall_limit = 0; ///< 1: the time allowed is over
};

class Agreement {
public:
  /// `app` stands before messages. Collective over `comm`.
  Agreement(MPI_Comm comm, std::string app);
  ~Agreement();
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& app() const { return app_; }

  /// Runs `body`. Throws `Ended` on all ranks when it threw on any. One reduction.
  template <class Body>
  void phase(Body&& body) {
    phase(std::forward<Body>(body), [] { return StopRequest{}; });
  }

  /// The same, and in the same reduction the wishes of all ranks (the largest of each).
  template <class Body, class Ask>
  StopRequest phase(Body&& body, Ask&& ask) {
    LocalOutcome local;
    try {
      std::forward<Body>(body)();
      local.stop = std::forward<Ask>(ask)();
    } catch (...) {
      keep_current_exception(local);
    }
    return conclude(local);
  }

private:
  /// How this rank came out of a phase.
  struct LocalOutcome {
    int code = 0;
    std::string message;
    StopRequest stop;
  };
  static void keep_current_exception(LocalOutcome& local);
  StopRequest conclude(const LocalOutcome& local);
  [[noreturn]] void end_together(int code, const LocalOutcome& local);
  void wait(MPI_Request& request, const LocalOutcome& local);

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::string app_;
  int rank_ = 0;
  int size_ = 1;
};

} // namespace rhumb::run
