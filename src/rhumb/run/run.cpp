#include <rhumb/run/run.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/session.hpp>
#include <rhumb/run/console.hpp>
#include <rhumb/run/program.hpp>
#include <csignal>

namespace rhumb::run {

namespace {
/// A failure that no phase could bring to all ranks. The others may wait for this rank, so they are ended too.
int abort_all(const CommandLine& line) {
  print_error(line.app(), core::message_of_current_exception());
  int size = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (size > 1) MPI_Abort(PETSC_COMM_WORLD, static_cast<int>(core::ExitCode::bug));
  return static_cast<int>(core::ExitCode::bug);
}

int run_in_session(CommandLine& line, const Make& make, const Caller& caller) {
  const core::Session session(line.argc(), line.argv());
  std::signal(SIGPIPE, SIG_IGN); // a reader that has seen enough (`-help | head`) is no crash; PETSc makes it one
  try {
    return static_cast<int>(Program(PETSC_COMM_WORLD, line, make, caller).execute());
  } catch (...) {
    return abort_all(line);
  }
}
} // namespace

int run(int argc, char** argv, const Make& make, const std::vector<NamedStudy>& studies, bool optimised) {
  const auto started = Settings::Clock::now();
  CommandLine line(argc, argv);
  const Caller caller{line.app(), studies, started, optimised};
  line.take_environment();
  try {
    return run_in_session(line, make, caller);
  } catch (const core::LibraryError& error) { // PETSc did not start: it reads options such as -log_trace FILE there
    print_error(line.app(), std::string("PETSc cannot start with these options: ") + error.what());
    return static_cast<int>(core::ExitCode::bad_input);
  } catch (...) {
    print_error(line.app(), core::message_of_current_exception());
    return static_cast<int>(core::ExitCode::bug);
  }
}

} // namespace rhumb::run
