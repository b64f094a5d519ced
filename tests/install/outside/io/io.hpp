#pragma once
/// Another one, in a folder that Rhumb has too.

#include <cstdio>

namespace outside {

inline void print(const char* name, double value) {
  std::printf("%s = %.8f\n", name, value);
}

} // namespace outside
