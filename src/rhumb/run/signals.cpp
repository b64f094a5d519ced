#include <rhumb/run/signals.hpp>

namespace rhumb::run {

namespace {
volatile std::sig_atomic_t last_signal = 0;

extern "C" void remember_signal(int number) {
  last_signal = number;
}
} // namespace

Signals::Signals() {
  last_signal = 0;
  struct sigaction action {};
  action.sa_handler = remember_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, &term_);
  sigaction(SIGUSR1, &action, &user_);
}

Signals::~Signals() {
  sigaction(SIGTERM, &term_, nullptr);
  sigaction(SIGUSR1, &user_, nullptr);
}

int Signals::received() {
  return last_signal;
}

} // namespace rhumb::run
