#pragma once
/// Says what a run waits for that has been asked to stop, by a signal or because -wall_limit is over. A step and the
/// consistent start are not broken off, and those of a large system (a factorization, a Jacobian by differences) may last
/// long. On rank 0, on standard error, once.

#include <rhumb/run/settings.hpp>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace rhumb::run {

class StopNotice {
public:
  using Clock = Settings::Clock;

  /// Looks on as long as it lives; not where the settings are quiet, nor on other ranks. Something that ends within
  /// `delay` after the request is not worth a word.
  StopNotice(const Settings& settings, int rank, Clock::duration delay = std::chrono::seconds(2));
  ~StopNotice();
  StopNotice(const StopNotice&) = delete;
  StopNotice& operator=(const StopNotice&) = delete;

  /// The run is now in its consistent start, or in the step with this number that begins at t.
  void in_start() { in_step(0, 0.0); }
  void in_step(long number, double t);

private:
  void watch();
  bool signal_came() const;
  bool stop_requested() const;
  void print_notice() const;

  const Settings& settings_;
  Clock::duration delay_;
  std::atomic<long> step_ = 0; ///< 0: the start
  std::atomic<double> t_ = 0.0;
  std::atomic<Clock::rep> since_;
  bool over_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

} // namespace rhumb::run
