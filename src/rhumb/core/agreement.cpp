#include <rhumb/core/agreement.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <cstdint>

namespace rhumb::core {

namespace {

/// What can be told to other ranks about an exception.
enum class ErrorKind : int { bad_input, input_output, misuse, other };

struct RemoteError {
  ErrorKind sort = ErrorKind::other;
  std::string text;
};

RemoteError serialize(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const BadInput& e) {
    return {ErrorKind::bad_input, e.what()};
  } catch (const InputOutput& e) {
    return {ErrorKind::input_output, e.what()};
  } catch (const std::logic_error& e) {
    return {ErrorKind::misuse, e.what()};
  } catch (...) {
    return {ErrorKind::other, message_of_current_exception()};
  }
}

[[noreturn]] void rethrow(const RemoteError& remote) {
  switch (remote.sort) {
  case ErrorKind::bad_input:
    throw BadInput(remote.text);
  case ErrorKind::input_output:
    throw InputOutput(remote.text);
  case ErrorKind::misuse:
    throw std::logic_error(remote.text);
  case ErrorKind::other:
    break;
  }
  throw std::runtime_error(remote.text);
}

} // namespace

int rank_of(MPI_Comm comm) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank));
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  check_mpi(MPI_Comm_size(comm, &size));
  return size;
}

void agree(MPI_Comm comm, const std::exception_ptr& failure) {
  const int size = size_of(comm);
  const int mine = failure ? rank_of(comm) : size;
  int lowest = size;
  check_mpi(MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, comm));
  if (lowest == size) return;
  RemoteError remote = lowest == mine ? serialize(failure) : RemoteError{};
  int sort = static_cast<int>(remote.sort);
  check_mpi(MPI_Bcast(&sort, 1, MPI_INT, lowest, comm));
  rethrow({static_cast<ErrorKind>(sort), broadcast(comm, std::move(remote.text), lowest)});
}

std::string broadcast(MPI_Comm comm, std::string text, int root) {
  auto size = static_cast<std::int64_t>(text.size());
  check_mpi(MPI_Bcast(&size, 1, MPI_INT64_T, root, comm));
  text.resize(static_cast<std::size_t>(size));
  check_mpi(MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, root, comm));
  return text;
}

} // namespace rhumb::core
