#pragma once
/// Adds the wall time of a scope to a phase.

#include <mpi.h>

namespace rhumb::bdf {

class Timer {
public:
  explicit Timer(double& seconds) : seconds_(seconds), begin_(MPI_Wtime()) {}
  ~Timer() { seconds_ += MPI_Wtime() - begin_; }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

private:
  double& seconds_;
  double begin_;
};

} // namespace rhumb::bdf
