#include "interrupt.hpp"

#include <Python.h>

namespace rhumb::python {

namespace {
volatile std::sig_atomic_t came = 0;
int depth = 0; ///< runs inside callbacks of runs

void note(int signal) {
  if (came != 0) PyErr_SetInterrupt(); // the second one: as if nobody had listened
  came = signal;
}
} // namespace

Interrupt::Interrupt() {
  if (depth++ == 0) came = 0;
  struct sigaction action {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &before_);
}

Interrupt::~Interrupt() {
  --depth;
  sigaction(SIGINT, &before_, nullptr);
}

int Interrupt::received() {
  return came;
}

} // namespace rhumb::python
