#pragma once
/// Forward dual numbers: a value and its derivatives in N directions, v + sum_j s_j e_j with e_i e_j = 0. A function
/// written for a generic scalar and called with duals gives its exact derivatives, to rounding, in the same pass.
///
/// The rule for every function f is one line: (f(v), f'(v) s). N is static, so that the compiler unrolls it.

#include <rhumb/core/inline.hpp>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <numbers>
#include <type_traits>

namespace rhumb::core {

namespace detail {

/// `count` numbers at once. Said in this way because a compiler that cannot exclude that two duals overlap takes one
/// number after the other. Processors without vectors of this length take them in parts.
template <std::size_t count>
struct Piece {
#if defined(__GNUC__)
  using Lanes [[gnu::vector_size(count * sizeof(double))]] = double;
#endif
};
template <>
struct Piece<1> {
  using Lanes = double;
};

/// Calls work(place, count) for pieces of `size` numbers: of four where they divide it, else of two, and one at the
/// end; count is a constant. Who has with_vectors around the work chooses a multiple of four; for others two are
/// faster.
template <std::size_t size, class Work>
RHUMB_INLINE inline void in_pieces(const Work& work) {
#if defined(__GNUC__)
  constexpr std::size_t most = size % 4 == 0 ? 4 : 2;
#else
  constexpr std::size_t most = 1;
#endif
  constexpr std::size_t whole = size / most * most;
  for (std::size_t at = 0; at < whole; at += most) work(at, std::integral_constant<std::size_t, most>());
  if constexpr (whole < size) work(whole, std::integral_constant<std::size_t, 1>());
}

} // namespace detail

template <int N>
struct Dual {
  double value = 0.0;
  std::array<double, static_cast<std::size_t>(N)> derivatives{};

  constexpr Dual() = default;
  constexpr Dual(double v) : value(v) {} // NOLINT(google-explicit-constructor): a constant is a dual without slope

  /// The variable of direction `direction`: slope `rate` there, zero elsewhere.
  RHUMB_INLINE static constexpr Dual variable(double v, int direction, double rate = 1.0) {
    Dual result(v);
    result.derivatives[direction] = rate;
    return result;
  }

  RHUMB_INLINE constexpr Dual& operator+=(const Dual& other) { return *this = *this + other; }
  RHUMB_INLINE constexpr Dual& operator-=(const Dual& other) { return *this = *this - other; }
  RHUMB_INLINE constexpr Dual& operator*=(const Dual& other) { return *this = *this * other; }
  RHUMB_INLINE constexpr Dual& operator/=(const Dual& other) { return *this = *this / other; }

  RHUMB_INLINE friend constexpr Dual operator+(const Dual& a) { return a; }
  RHUMB_INLINE friend constexpr Dual operator-(const Dual& a) { return a.chain(-a.value, -1.0); }
  RHUMB_INLINE friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    return combine(a.value + b.value, a, 1.0, b, 1.0);
  }
  RHUMB_INLINE friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    return combine(a.value - b.value, a, 1.0, b, -1.0);
  }
  RHUMB_INLINE friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return combine(a.value * b.value, a, b.value, b, a.value);
  }
  RHUMB_INLINE friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const double inverse = 1.0 / b.value, quotient = a.value * inverse;
    return combine(quotient, a, inverse, b, -quotient * inverse);
  }
  // With a plain number on one side no slope is touched in vain.
  RHUMB_INLINE friend constexpr Dual operator+(const Dual& a, double b) { return a.chain(a.value + b, 1.0); }
  RHUMB_INLINE friend constexpr Dual operator+(double a, const Dual& b) { return b.chain(a + b.value, 1.0); }
  RHUMB_INLINE friend constexpr Dual operator-(const Dual& a, double b) { return a.chain(a.value - b, 1.0); }
  RHUMB_INLINE friend constexpr Dual operator-(double a, const Dual& b) { return b.chain(a - b.value, -1.0); }
  RHUMB_INLINE friend constexpr Dual operator*(const Dual& a, double b) { return a.chain(a.value * b, b); }
  RHUMB_INLINE friend constexpr Dual operator*(double a, const Dual& b) { return b.chain(a * b.value, a); }
  RHUMB_INLINE friend constexpr Dual operator/(const Dual& a, double b) { return a.chain(a.value / b, 1.0 / b); }
  RHUMB_INLINE friend constexpr Dual operator/(double a, const Dual& b) {
    return b.chain(a / b.value, -a / (b.value * b.value));
  }

  // Comparisons look at values: a branch is taken as the plain number would take it.
  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend constexpr auto operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }

  /// *this += f b, in place; b is another dual.
  RHUMB_INLINE void add(double f, const Dual& b) {
    value += f * b.value;
    add_derivatives(f, b);
  }
  RHUMB_INLINE void add_derivatives(double f, const Dual& b) {
    detail::in_pieces<size>([&](std::size_t j, auto count) RHUMB_INLINE_LAMBDA {
      Lanes<count> here, other; // not values of functions, whose convention would depend on the processor
      load(j, here);
      b.load(j, other);
      store(j, here + f * other);
    });
  }

  /// (f, f' s): the value f and the slopes times the derivative.
  RHUMB_INLINE constexpr Dual chain(double f, double derivative) const {
    Dual result(f);
    if (std::is_constant_evaluated())
      for (std::size_t j = 0; j < size; ++j) result.derivatives[j] = derivative * derivatives[j];
    else
      detail::in_pieces<size>([&](std::size_t j, auto count) RHUMB_INLINE_LAMBDA {
        Lanes<count> here;
        load(j, here);
        result.store(j, derivative * here);
      });
    return result;
  }

  /// (f, fa sa + fb sb): a function of two variables with its partial derivatives.
  RHUMB_INLINE static constexpr Dual combine(double f, const Dual& a, double fa, const Dual& b, double fb) {
    Dual result(f);
    if (std::is_constant_evaluated())
      for (std::size_t j = 0; j < size; ++j) result.derivatives[j] = fa * a.derivatives[j] + fb * b.derivatives[j];
    else
      detail::in_pieces<size>([&](std::size_t j, auto count) RHUMB_INLINE_LAMBDA {
        Lanes<count> of_a, of_b;
        a.load(j, of_a);
        b.load(j, of_b);
        result.store(j, fa * of_a + fb * of_b);
      });
    return result;
  }

  /// The same for derivatives that may be infinite or undefined: f has a kink or an end there, but along a direction in
  /// which its arguments stand still it stands still, too. 0 * inf would be NaN.
  RHUMB_INLINE Dual chain_guarded(double f, double derivative) const {
    return std::isfinite(derivative) ? chain(f, derivative) : combine_apart(f, *this, derivative, Dual(), 0.0);
  }
  RHUMB_INLINE static Dual combine_guarded(double f, const Dual& a, double fa, const Dual& b, double fb) {
    return std::isfinite(fa) && std::isfinite(fb) ? combine(f, a, fa, b, fb) : combine_apart(f, a, fa, b, fb);
  }

  bool has_derivatives() const {
    for (const double s : derivatives)
      if (s != 0.0) return true;
    return false;
  }

private:
  static constexpr auto size = static_cast<std::size_t>(N);

  static Dual combine_apart(double f, const Dual& a, double fa, const Dual& b, double fb) {
    Dual result(f);
    for (std::size_t j = 0; j < size; ++j)
      result.derivatives[j] = (a.derivatives[j] == 0.0 ? 0.0 : fa * a.derivatives[j]) +
                              (b.derivatives[j] == 0.0 ? 0.0 : fb * b.derivatives[j]);
    return result;
  }

  template <std::size_t count>
  using Lanes = typename detail::Piece<count>::Lanes;

  /// The slopes from j on.
  template <class Some>
  RHUMB_INLINE void load(std::size_t j, Some& lanes) const {
    std::memcpy(&lanes, derivatives.data() + j, sizeof lanes);
  }
  template <class Some>
  RHUMB_INLINE void store(std::size_t j, const Some& lanes) {
    std::memcpy(derivatives.data() + j, &lanes, sizeof lanes);
  }
};

/// The plain number inside, for a check or a table look-up in generic code.
constexpr double value_of(double a) {
  return a;
}
template <int N>
constexpr double value_of(const Dual<N>& a) {
  return a.value;
}

template <int N>
Dual<N> exp(const Dual<N>& a) {
  const double e = std::exp(a.value);
  return a.chain(e, e);
}
template <int N>
Dual<N> expm1(const Dual<N>& a) {
  return a.chain(std::expm1(a.value), std::exp(a.value));
}
template <int N>
Dual<N> log(const Dual<N>& a) {
  return a.chain_guarded(std::log(a.value), 1.0 / a.value);
}
template <int N>
Dual<N> log1p(const Dual<N>& a) {
  return a.chain_guarded(std::log1p(a.value), 1.0 / (1.0 + a.value));
}
template <int N>
Dual<N> log2(const Dual<N>& a) {
  return a.chain_guarded(std::log2(a.value), 1.0 / (a.value * std::numbers::ln2));
}
template <int N>
Dual<N> log10(const Dual<N>& a) {
  return a.chain_guarded(std::log10(a.value), 1.0 / (a.value * std::numbers::ln10));
}
template <int N>
Dual<N> sqrt(const Dual<N>& a) {
  const double root = std::sqrt(a.value);
  return a.chain_guarded(root, 0.5 / root);
}
template <int N>
Dual<N> cbrt(const Dual<N>& a) {
  const double root = std::cbrt(a.value);
  return a.chain_guarded(root, 1.0 / (3.0 * root * root));
}
template <int N>
Dual<N> sin(const Dual<N>& a) {
  return a.chain(std::sin(a.value), std::cos(a.value));
}
template <int N>
Dual<N> cos(const Dual<N>& a) {
  return a.chain(std::cos(a.value), -std::sin(a.value));
}
template <int N>
Dual<N> tan(const Dual<N>& a) {
  const double tangent = std::tan(a.value);
  return a.chain(tangent, 1.0 + tangent * tangent);
}
template <int N>
Dual<N> atan(const Dual<N>& a) {
  return a.chain(std::atan(a.value), 1.0 / (1.0 + a.value * a.value));
}
template <int N>
Dual<N> asin(const Dual<N>& a) {
  return a.chain_guarded(std::asin(a.value), 1.0 / std::sqrt((1.0 - a.value) * (1.0 + a.value)));
}
template <int N>
Dual<N> acos(const Dual<N>& a) {
  return a.chain_guarded(std::acos(a.value), -1.0 / std::sqrt((1.0 - a.value) * (1.0 + a.value)));
}
template <int N>
Dual<N> sinh(const Dual<N>& a) {
  return a.chain(std::sinh(a.value), std::cosh(a.value));
}
template <int N>
Dual<N> cosh(const Dual<N>& a) {
  return a.chain(std::cosh(a.value), std::sinh(a.value));
}
template <int N>
Dual<N> tanh(const Dual<N>& a) {
  const double t = std::tanh(a.value);
  return a.chain(t, 1.0 - t * t);
}
template <int N>
Dual<N> asinh(const Dual<N>& a) {
  return a.chain(std::asinh(a.value), 1.0 / std::hypot(1.0, a.value));
}
template <int N>
Dual<N> acosh(const Dual<N>& a) {
  return a.chain_guarded(std::acosh(a.value), 1.0 / std::sqrt((a.value - 1.0) * (a.value + 1.0)));
}
template <int N>
Dual<N> atanh(const Dual<N>& a) {
  return a.chain_guarded(std::atanh(a.value), 1.0 / ((1.0 - a.value) * (1.0 + a.value)));
}
template <int N>
Dual<N> erf(const Dual<N>& a) {
  return a.chain(std::erf(a.value), 2.0 * std::numbers::inv_sqrtpi * std::exp(-a.value * a.value));
}
template <int N>
Dual<N> erfc(const Dual<N>& a) {
  return a.chain(std::erfc(a.value), -2.0 * std::numbers::inv_sqrtpi * std::exp(-a.value * a.value));
}
/// At 0 the derivative of |a| is taken from the right.
template <int N>
Dual<N> fabs(const Dual<N>& a) {
  return a.value < 0.0 ? -a : a;
}
template <int N>
Dual<N> abs(const Dual<N>& a) {
  return fabs(a);
}
/// a^b with a fixed exponent; also for a <= 0 where the power itself has a value.
template <int N>
Dual<N> pow(const Dual<N>& a, double b) {
  return a.chain_guarded(std::pow(a.value, b), b == 0.0 ? 0.0 : b * std::pow(a.value, b - 1.0));
}
/// 0^b stays 0 for all b > 0; below zero a power has a value for integers only, and no derivative by b.
template <int N>
Dual<N> pow(double a, const Dual<N>& b) {
  const double power = std::pow(a, b.value);
  return b.chain_guarded(power, power == 0.0 ? 0.0 : power * std::log(a));
}
template <int N>
Dual<N> pow(const Dual<N>& a, const Dual<N>& b) {
  if (!b.has_derivatives()) return pow(a, b.value);
  const double power = std::pow(a.value, b.value);
  const double by_base = b.value == 0.0 ? 0.0 : b.value * std::pow(a.value, b.value - 1.0);
  return Dual<N>::combine_guarded(power, a, by_base, b, power == 0.0 ? 0.0 : power * std::log(a.value));
}
template <int N>
Dual<N> atan2(const Dual<N>& y, const Dual<N>& x) {
  const double square = x.value * x.value + y.value * y.value;
  return Dual<N>::combine_guarded(std::atan2(y.value, x.value), y, x.value / square, x, -y.value / square);
}
/// At 0 the derivative is 0, as that of sqrt(a a + b b) is.
template <int N>
Dual<N> hypot(const Dual<N>& a, const Dual<N>& b) {
  const double length = std::hypot(a.value, b.value);
  if (length == 0.0) return Dual<N>(length);
  return Dual<N>::combine(length, a, a.value / length, b, b.value / length);
}
/// Of equal values the first is taken, with its slope.
template <int N>
Dual<N> min(const Dual<N>& a, const Dual<N>& b) {
  return b.value < a.value ? b : a;
}
template <int N>
Dual<N> max(const Dual<N>& a, const Dual<N>& b) {
  return a.value < b.value ? b : a;
}
template <int N>
Dual<N> min(const Dual<N>& a, double b) {
  return min(a, Dual<N>(b));
}
template <int N>
Dual<N> min(double a, const Dual<N>& b) {
  return min(Dual<N>(a), b);
}
template <int N>
Dual<N> max(const Dual<N>& a, double b) {
  return max(a, Dual<N>(b));
}
template <int N>
Dual<N> max(double a, const Dual<N>& b) {
  return max(Dual<N>(a), b);
}
template <int N>
bool isfinite(const Dual<N>& a) {
  for (const double s : a.derivatives)
    if (!std::isfinite(s)) return false;
  return std::isfinite(a.value);
}

} // namespace rhumb::core
