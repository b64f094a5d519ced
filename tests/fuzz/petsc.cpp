#include "target.hpp"
#include <rhumb/core/session.hpp>
#include <cstdlib>
#include <memory>

namespace rhumb::fuzz {

void start_petsc() {
  static core::Session* session = nullptr; // never ended: libFuzzer leaves by _exit
  if (session) return;
  // A process without mpirun, possibly root's, that shall not look for others.
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  static char name[] = "fuzz";
  static char no_handler[] = "-no_signal_handler"; // a crash is the fuzzer's to report
  static char* words[] = {name, no_handler, nullptr};
  int count = 2;
  char** arguments = words;
  session = std::make_unique<core::Session>(count, arguments).release();
}

} // namespace rhumb::fuzz
