/// What libFuzzer and replay.cpp call: the target with one input, and what counts as a finding.

#include "target.hpp"
#include <rhumb/core/failure.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {
/// Of processor time, so that a busy machine finds nothing.
constexpr double max_seconds = 1.0;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const double begin = processor_seconds();
  try {
    rhumb::fuzz::test({reinterpret_cast<const char*>(data), size});
  } catch (const rhumb::core::BadInput&) {
  } catch (const rhumb::core::InputOutput&) {
  } // any other exception ends the process
  const double seconds = processor_seconds() - begin;
  if (seconds > max_seconds) {
    std::fprintf(stderr, "one input took %.2f s\n", seconds);
    std::abort();
  }
  return 0;
}
