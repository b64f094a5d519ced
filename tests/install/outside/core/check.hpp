#pragma once
/// A project's own header, whose name is also one of Rhumb's.

namespace outside {

inline bool close(double a, double b, double tolerance) {
  return a - b < tolerance && b - a < tolerance;
}

} // namespace outside
