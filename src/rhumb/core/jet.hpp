#pragma once
/// A quantity with its first and second derivative by time, a(t) = (a, a', a''), over any scalar. A function written for
/// a generic scalar and called with jets gives d/dt and d2/dt2 of its value: the hidden constraints of phi(q, t) = 0 are
/// phi(jets of q). Over duals the derivatives have their own exact derivatives by the unknowns.
///
/// The rule for every function f is one line: (f, f' a', f' a'' + f'' a' a').

#include <rhumb/core/dual.hpp>

namespace rhumb::core {

template <class T>
struct Jet {
  T value{}, rate{}, second{};

  Jet() = default;
  Jet(double v) : value(v) {} // NOLINT(google-explicit-constructor): a constant
  Jet(T v, T first_derivative, T second_derivative = T(0.0))
      : value(v), rate(first_derivative), second(second_derivative) {}

  /// f(a) with the values of f, f' and f'' at a.
  Jet chain(const T& f, const T& f1, const T& f2) const { return {f, f1 * rate, f1 * second + f2 * rate * rate}; }

  Jet& operator+=(const Jet& b) { return *this = *this + b; }
  Jet& operator-=(const Jet& b) { return *this = *this - b; }
  Jet& operator*=(const Jet& b) { return *this = *this * b; }
  Jet& operator/=(const Jet& b) { return *this = *this / b; }

  friend Jet operator+(const Jet& a) { return a; }
  friend Jet operator-(const Jet& a) { return {-a.value, -a.rate, -a.second}; }
  friend Jet operator+(const Jet& a, const Jet& b) { return {a.value + b.value, a.rate + b.rate, a.second + b.second}; }
  friend Jet operator-(const Jet& a, const Jet& b) { return {a.value - b.value, a.rate - b.rate, a.second - b.second}; }
  friend Jet operator*(const Jet& a, const Jet& b) {
    return {a.value * b.value, a.rate * b.value + a.value * b.rate,
            a.second * b.value + 2.0 * (a.rate * b.rate) + a.value * b.second};
  }
  /// q = a/b from a = q b and its derivatives.
  friend Jet operator/(const Jet& a, const Jet& b) {
    const T quotient = a.value / b.value, rate = (a.rate - quotient * b.rate) / b.value;
    return {quotient, rate, (a.second - 2.0 * (rate * b.rate) - quotient * b.second) / b.value};
  }
  friend Jet operator+(const Jet& a, double b) { return {a.value + b, a.rate, a.second}; }
  friend Jet operator+(double a, const Jet& b) { return b + a; }
  friend Jet operator-(const Jet& a, double b) { return {a.value - b, a.rate, a.second}; }
  friend Jet operator-(double a, const Jet& b) { return -b + a; }
  friend Jet operator*(const Jet& a, double b) { return {a.value * b, a.rate * b, a.second * b}; }
  friend Jet operator*(double a, const Jet& b) { return b * a; }
  friend Jet operator/(const Jet& a, double b) { return a * (1.0 / b); }
  friend Jet operator/(double a, const Jet& b) { return Jet(a) / b; }

  // Comparisons look at values: a branch is taken as the plain number would take it.
  friend bool operator==(const Jet& a, const Jet& b) { return a.value == b.value; }
  friend auto operator<=>(const Jet& a, const Jet& b) { return a.value <=> b.value; }
};

template <class T>
double value_of(const Jet<T>& a) {
  return value_of(a.value);
}

template <class T>
Jet<T> exp(const Jet<T>& a) {
  using std::exp;
  const T e = exp(a.value);
  return a.chain(e, e, e);
}
template <class T>
Jet<T> log(const Jet<T>& a) {
  using std::log;
  const T inverse = 1.0 / a.value;
  return a.chain(log(a.value), inverse, -inverse * inverse);
}
template <class T>
Jet<T> sqrt(const Jet<T>& a) {
  using std::sqrt;
  const T root = sqrt(a.value), first = 0.5 / root;
  return a.chain(root, first, -0.5 * first / a.value);
}
template <class T>
Jet<T> sin(const Jet<T>& a) {
  using std::sin, std::cos;
  const T s = sin(a.value);
  return a.chain(s, cos(a.value), -s);
}
template <class T>
Jet<T> cos(const Jet<T>& a) {
  using std::sin, std::cos;
  const T c = cos(a.value);
  return a.chain(c, -sin(a.value), -c);
}
template <class T>
Jet<T> tan(const Jet<T>& a) {
  using std::tan;
  const T t = tan(a.value), first = 1.0 + t * t;
  return a.chain(t, first, 2.0 * t * first);
}
template <class T>
Jet<T> tanh(const Jet<T>& a) {
  using std::tanh;
  const T t = tanh(a.value), first = 1.0 - t * t;
  return a.chain(t, first, -2.0 * t * first);
}
template <class T>
Jet<T> abs(const Jet<T>& a) {
  return value_of(a) < 0.0 ? -a : a;
}
/// a^b with a fixed exponent.
template <class T>
Jet<T> pow(const Jet<T>& a, double b) {
  using std::pow;
  const T zero(0.0);
  return a.chain(pow(a.value, b), b == 0.0 ? zero : T(b * pow(a.value, b - 1.0)),
                 b == 0.0 || b == 1.0 ? zero : T(b * (b - 1.0) * pow(a.value, b - 2.0)));
}
template <class T>
Jet<T> atan2(const Jet<T>& y, const Jet<T>& x) {
  using std::atan2;
  const T square = x.value * x.value + y.value * y.value;
  const T rate = (x.value * y.rate - y.value * x.rate) / square;
  return {atan2(y.value, x.value), rate,
          (x.value * y.second - y.value * x.second - 2.0 * rate * (x.value * x.rate + y.value * y.rate)) / square};
}

} // namespace rhumb::core
