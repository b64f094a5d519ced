#include <rhumb/core/agreement.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <cstdint>

namespace rhumb::core {

namespace {

/// What can be told to other ranks about an exception.
enum class Sort : int { bad_input, input_output, misuse, other };

struct Told {
  Sort sort = Sort::other;
  std::string text;
};

Told tell(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const BadInput& e) {
    return {Sort::bad_input, e.what()};
  } catch (const InputOutput& e) {
    return {Sort::input_output, e.what()};
  } catch (const std::logic_error& e) {
    return {Sort::misuse, e.what()};
  } catch (...) {
    return {Sort::other, message_of_current_exception()};
  }
}

[[noreturn]] void throw_told(const Told& told) {
  switch (told.sort) {
  case Sort::bad_input:
    throw BadInput(told.text);
  case Sort::input_output:
    throw InputOutput(told.text);
  case Sort::misuse:
    throw std::logic_error(told.text);
  case Sort::other:
    break;
  }
  throw std::runtime_error(told.text);
}

std::string broadcast_from(MPI_Comm comm, int root, std::string text) {
  auto size = static_cast<std::int64_t>(text.size());
  check_mpi(MPI_Bcast(&size, 1, MPI_INT64_T, root, comm));
  text.resize(static_cast<std::size_t>(size));
  check_mpi(MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, root, comm));
  return text;
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
  Told told = lowest == mine ? tell(failure) : Told{};
  int sort = static_cast<int>(told.sort);
  check_mpi(MPI_Bcast(&sort, 1, MPI_INT, lowest, comm));
  throw_told({static_cast<Sort>(sort), broadcast_from(comm, lowest, std::move(told.text))});
}

std::string broadcast(MPI_Comm comm, std::string text) {
  return broadcast_from(comm, 0, std::move(text));
}

} // namespace rhumb::core
