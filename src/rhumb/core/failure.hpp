#pragma once
/// Failures that end a run, each with the exit code that the command line promises, and the one that does not:
/// `Recoverable`, which a residual may throw to say "not here, try a smaller step".

#include <stdexcept>
#include <string>

namespace rhumb::core {

/// Exit codes of every driver, the same on all ranks.
enum class ExitCode : int {
  done = 0,
  bad_input = 2,
  solver_gave_up = 3,
  input_output = 4,
  stopped = 5,
  bug = 70,
};

/// The user gave something that cannot be used: an option, a case file, a mesh. Says what, where, and the nearest
/// valid.
class BadInput : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The integrator could not go on. The text is a diagnosis; the last good state has been kept.
class SolverGaveUp : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file could not be read or written. The text names the file.
class InputOutput : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown by a residual that has no value at (t, y, y'): the integrator drops the attempt and takes a smaller step.
class Recoverable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Another rank failed in a call that all ranks made; that rank has the message.
class FailedElsewhere : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The exit code that belongs to the exception being handled. Call inside a catch block.
ExitCode exit_code_of_current_exception() noexcept;

/// What the exception being handled says. Call inside a catch block.
std::string message_of_current_exception();

} // namespace rhumb::core
