#include <rhumb/core/clock.hpp>

#if defined(__GNUC__) && defined(__x86_64__)
#include <cpuid.h>
#endif

namespace rhumb::core {

namespace {

#if defined(__GNUC__) && defined(__x86_64__)
/// Whether the counter runs at one rate whatever the processor does, as it says itself.
bool runs_evenly() {
  constexpr unsigned leaf = 0x80000007, invariant = 1U << 8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(leaf, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
}

double measure() {
  using Clock = std::chrono::steady_clock;
  if (!runs_evenly()) return 0.0;
  constexpr std::chrono::microseconds long_enough{200}; // a relative error of some 1e-4
  const auto begin = Clock::now();
  const auto first = __builtin_ia32_rdtsc();
  auto end = begin;
  while (end - begin < long_enough) end = Clock::now();
  const auto ticks = __builtin_ia32_rdtsc() - first;
  return std::chrono::duration<double>(end - begin).count() / static_cast<double>(ticks);
}
#else
double measure() {
  return 0.0;
}
#endif

} // namespace

const double seconds_per_tick = measure();

} // namespace rhumb::core
