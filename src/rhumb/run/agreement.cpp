#include <rhumb/run/agreement.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/run/console.hpp>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace rhumb::run {

namespace {
/// Failed only because another rank did. Above 0, below every exit code of a failure.
constexpr int follows = 1;
/// How long a rank that failed waits for the others before it ends the run for all.
constexpr std::chrono::seconds max_wait{30};
} // namespace

Agreement::Agreement(MPI_Comm comm, std::string app) : app_(std::move(app)) {
  core::check_mpi(MPI_Comm_dup(comm, &comm_));
  core::check_mpi(MPI_Comm_rank(comm_, &rank_));
  core::check_mpi(MPI_Comm_size(comm_, &size_));
}

Agreement::~Agreement() {
  MPI_Comm_free(&comm_);
}

void Agreement::keep_current_exception(LocalOutcome& local) {
  local.code = static_cast<int>(core::exit_code_of_current_exception());
  local.message = core::message_of_current_exception();
  try {
    throw;
  } catch (const Ended& ended) {
    local.code = static_cast<int>(ended.code());
  } catch (const core::FailedElsewhere&) {
    local.code = follows;
  } catch (...) { // the code above stands
  }
}

StopRequest Agreement::conclude(const LocalOutcome& local) {
  std::array<int, 3> codes{local.code, local.stop.signal, local.stop.over_wall_limit};
  if (size_ > 1) {
    MPI_Request request = MPI_REQUEST_NULL;
    core::check_mpi(MPI_Iallreduce(MPI_IN_PLACE, codes.data(), 3, MPI_INT, MPI_MAX, comm_, &request));
    wait(request, local);
  }
  if (codes[0] != 0) end_together(codes[0], local);
  return {codes[1], codes[2]};
}

void Agreement::end_together(int code, const LocalOutcome& local) {
  // The lowest rank that has this code has the message.
  int speaker = local.code == code ? rank_ : size_;
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, comm_));
  std::string message = local.message;
  int length = static_cast<int>(message.size());
  core::check_mpi(MPI_Bcast(&length, 1, MPI_INT, speaker, comm_));
  message.resize(static_cast<std::size_t>(length));
  core::check_mpi(MPI_Bcast(message.data(), length, MPI_CHAR, speaker, comm_));
  throw Ended(code == follows ? core::ExitCode::bug : static_cast<core::ExitCode>(code), message);
}

/// A rank without a failure of its own waits as long as it takes: the others may only be slower.
void Agreement::wait(MPI_Request& request, const LocalOutcome& local) {
  if (local.code == 0) return core::check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE));
  const auto until = std::chrono::steady_clock::now() + max_wait;
  for (int arrived = 0; arrived == 0;) {
    core::check_mpi(MPI_Test(&request, &arrived, MPI_STATUS_IGNORE));
    if (arrived) return;
    if (std::chrono::steady_clock::now() > until) {
      print_error(app_, local.message);
      print_error(app_, fmt::format("the other ranks did not stop with rank {}; the run is aborted", rank_));
      MPI_Abort(comm_, local.code == follows ? static_cast<int>(core::ExitCode::bug) : local.code);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

} // namespace rhumb::run
