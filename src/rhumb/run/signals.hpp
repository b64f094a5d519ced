#pragma once
/// SIGTERM and SIGUSR1 ask a run to stop at the end of its step; the handlers only set a flag.

#include <csignal>

namespace rhumb::run {

/// Listens for as long as it lives.
class Signals {
public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// The number of the signal that came to this rank; 0: none.
  static int received();

private:
  struct sigaction term_ {};
  struct sigaction user_ {};
};

} // namespace rhumb::run
