#pragma once
/// Adds the wall time of a scope to a phase.

#include <rhumb/core/clock.hpp>

namespace rhumb::bdf {

class Timer {
public:
  explicit Timer(double& seconds) : seconds_(seconds), begin_(core::seconds_now()) {}
  ~Timer() { seconds_ += core::seconds_now() - begin_; }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

private:
  double& seconds_;
  double begin_;
};

} // namespace rhumb::bdf
