#include <rhumb/run/stop_notice.hpp>

#include <rhumb/run/console.hpp>
#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace rhumb::run {

namespace {
constexpr StopNotice::Clock::duration longest_look = std::chrono::milliseconds(500);
}

/// Signals are for the thread that computes.
StopNotice::StopNotice(const Settings& settings, int rank, Clock::duration delay)
    : settings_(settings), delay_(delay), since_(Clock::now().time_since_epoch().count()) {
  if (rank != 0 || settings.quiet || (!settings.stop_signal && !(settings.wall_limit > 0.0))) return;
  sigset_t all{}, before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

StopNotice::~StopNotice() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StopNotice::in_step(long number, double t) {
  step_ = number;
  t_ = t;
  since_ = Clock::now().time_since_epoch().count();
}

bool StopNotice::signal_came() const {
  return settings_.stop_signal && settings_.stop_signal() != 0;
}

bool StopNotice::stop_requested() const {
  const std::chrono::duration<double> elapsed = Clock::now() - settings_.started;
  return signal_came() || (settings_.wall_limit > 0.0 && elapsed.count() > settings_.wall_limit);
}

void StopNotice::watch() {
  const auto look = std::min(longest_look, delay_);
  std::unique_lock lock(mutex_);
  Clock::time_point requested{};
  while (!changed_.wait_for(lock, look, [this] { return over_; })) {
    if (!stop_requested()) continue;
    if (requested == Clock::time_point{}) requested = Clock::now();
    if (Clock::now() - requested < delay_) continue;
    print_notice();
    return;
  }
}

void StopNotice::print_notice() const {
  const Clock::time_point since{Clock::duration(since_.load())};
  const double seconds = std::chrono::duration<double>(Clock::now() - since).count();
  const std::string what =
      step_ == 0 ? "its consistent start" : fmt::format("step {} from t = {:.6g}", step_.load(), t_.load());
  print_error(settings_.app,
              fmt::format("{}; waiting for the end of {}, which has taken {:.1f} s so far (a "
                          "factorization or a Jacobian is not broken off)",
                          signal_came() ? "a signal asks to stop" : "-wall_limit is over", what, seconds));
}

} // namespace rhumb::run
