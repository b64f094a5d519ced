#pragma once
/// Ranks that fail together. A file can fail on one rank only (its disk is full, its node lost the mount); a rank that
/// went on alone into the next collective call would wait there for ever. So every step on files is followed by one
/// agreement: it succeeded everywhere, or all ranks throw the same failure with the message of the lowest failing rank.

#include <exception>
#include <mpi.h>
#include <string>
#include <utility>

namespace rhumb::core {

int rank_of(MPI_Comm comm);
int size_of(MPI_Comm comm);

/// `failure` is what this rank caught, or null. Returns on all ranks or throws on all ranks.
void agree(MPI_Comm comm, const std::exception_ptr& failure);

/// Runs `body` on this rank, then agrees. `body` must make no collective call.
template <class Body>
void run_and_agree(MPI_Comm comm, Body&& body) {
  std::exception_ptr failure;
  try {
    std::forward<Body>(body)();
  } catch (...) {
    failure = std::current_exception();
  }
  agree(comm, failure);
}

/// Runs `body` on rank 0, then agrees.
template <class Body>
void run_on_root(MPI_Comm comm, Body&& body) {
  run_and_agree(comm, [&] {
    if (rank_of(comm) == 0) std::forward<Body>(body)();
  });
}

/// The text of rank `root` on all ranks.
std::string broadcast(MPI_Comm comm, std::string text, int root = 0);

} // namespace rhumb::core
