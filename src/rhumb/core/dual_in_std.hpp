#pragma once
/// A sentence at compile time for std::exp(u) where u is a field of a kernel. The functions of duals are found by
/// argument, exp(u); those of std know plain numbers only, and hundreds of lines follow when they are called. What is
/// declared here is a worse match than every function of duals, so that a kernel that says `using std::exp; exp(u)`
/// gets the right one.

#include <rhumb/core/dual.hpp>
#include <cmath>
#include <cstdlib>

namespace rhumb::core::detail {

template <class T>
inline constexpr bool is_dual = false;
template <int N>
inline constexpr bool is_dual<Dual<N>> = true;
template <class T>
concept DualNumber = is_dual<T>;

/// A conversion to these is worse than one from int to double.
struct Number {
  Number(double); // NOLINT(google-explicit-constructor)
};
struct Anything {
  Anything(const auto&); // NOLINT(google-explicit-constructor)
};

} // namespace rhumb::core::detail

#define RHUMB_WITHOUT_STD(function)                                                                                    \
  static_assert(sizeof(T) == 0, "in a kernel " #function "() stands without std::, which knows plain numbers only: "   \
                                "the one for duals is found by its argument")
#define RHUMB_NOT_IN_STD(function)                                                                                     \
  template <rhumb::core::detail::DualNumber T>                                                                         \
  T function(const T& a) {                                                                                             \
    RHUMB_WITHOUT_STD(function);                                                                                       \
    return a;                                                                                                          \
  }
#define RHUMB_NOT_IN_STD_OF_TWO(function)                                                                              \
  template <rhumb::core::detail::DualNumber T>                                                                         \
  T function(const T& a, rhumb::core::detail::Anything) {                                                              \
    RHUMB_WITHOUT_STD(function);                                                                                       \
    return a;                                                                                                          \
  }                                                                                                                    \
  template <rhumb::core::detail::DualNumber T>                                                                         \
  T function(rhumb::core::detail::Number, const T& b) {                                                                \
    RHUMB_WITHOUT_STD(function);                                                                                       \
    return b;                                                                                                          \
  }

namespace std { // NOLINT(bugprone-std-namespace-modification,cert-dcl58-cpp): nothing here ever compiles
RHUMB_NOT_IN_STD(exp)
RHUMB_NOT_IN_STD(expm1)
RHUMB_NOT_IN_STD(log)
RHUMB_NOT_IN_STD(log1p)
RHUMB_NOT_IN_STD(log2)
RHUMB_NOT_IN_STD(log10)
RHUMB_NOT_IN_STD(sqrt)
RHUMB_NOT_IN_STD(cbrt)
RHUMB_NOT_IN_STD(sin)
RHUMB_NOT_IN_STD(cos)
RHUMB_NOT_IN_STD(tan)
RHUMB_NOT_IN_STD(asin)
RHUMB_NOT_IN_STD(acos)
RHUMB_NOT_IN_STD(atan)
RHUMB_NOT_IN_STD(sinh)
RHUMB_NOT_IN_STD(cosh)
RHUMB_NOT_IN_STD(tanh)
RHUMB_NOT_IN_STD(asinh)
RHUMB_NOT_IN_STD(acosh)
RHUMB_NOT_IN_STD(atanh)
RHUMB_NOT_IN_STD(erf)
RHUMB_NOT_IN_STD(erfc)
RHUMB_NOT_IN_STD(abs)
RHUMB_NOT_IN_STD(fabs)
RHUMB_NOT_IN_STD_OF_TWO(pow)
RHUMB_NOT_IN_STD_OF_TWO(atan2)
RHUMB_NOT_IN_STD_OF_TWO(hypot)
} // namespace std
#undef RHUMB_NOT_IN_STD_OF_TWO
#undef RHUMB_NOT_IN_STD
#undef RHUMB_WITHOUT_STD
