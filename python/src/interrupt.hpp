#pragma once
/// Ctrl-C while a run goes: the first one asks the run to stop at the end of its step, the second one is Python's again
/// (a callback that does not end).

#include <csignal>

namespace rhumb::python {

class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The number of the signal that came since the outermost Interrupt was made; 0: none.
  static int received();

private:
  struct sigaction before_ {};
};

} // namespace rhumb::python
