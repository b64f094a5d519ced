#pragma once
/// A clock for parts of a step. For a system of three unknowns such a part takes a tenth of a microsecond, which is
/// what the operating system's clock takes too; the processor's own counter takes a tenth of that.

#include <chrono>

namespace rhumb::core {

/// Of the processor's counter; 0 where there is none that runs evenly. Measured when the program starts.
extern const double seconds_per_tick;

/// Wall seconds since some moment in the past.
inline double seconds_now() {
#if defined(__GNUC__) && defined(__x86_64__)
  if (seconds_per_tick > 0.0) return seconds_per_tick * static_cast<double>(__builtin_ia32_rdtsc());
#endif
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace rhumb::core
