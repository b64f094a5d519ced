#pragma once
/// A formula of a case file, such as `0.01*ux1 - u1^2/2`, that can be evaluated in any scalar: with duals it gives its
/// exact derivatives. Operators + - * / ^ (right to left), brackets, comparisons < > (1 or 0), numbers, `pi`, the
/// functions sin cos tan atan sinh cosh tanh exp log sqrt abs, min max with two arguments, if(c, a, b), and the
/// variables that its place allows.

#include "core/dual.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace rhumb::movingmesh {

class Expression {
public:
  /// `option` is where the text comes from, for messages; `variables` are the names it may use, in the order in which
  /// their values will be given. Throws core::BadInput that shows the place of the mistake.
  Expression(std::string option, std::string text, const std::vector<std::string>& variables);

  template <class S>
  S operator()(std::span<const S> values) const;

  const std::string& text() const { return text_; }
  /// Whether it uses the variable with this number.
  bool uses(std::size_t variable) const;

  enum class Action : std::uint8_t {
    number,
    variable,
    plus,
    minus,
    times,
    over,
    power,
    less,
    greater,
    negate,
    sin,
    cos,
    tan,
    atan,
    sinh,
    cosh,
    tanh,
    exp,
    log,
    sqrt,
    abs,
    min,
    max,
    choose,
  };
  /// One instruction for a stack machine.
  struct Step {
    Action action;
    double number = 0.0;
    std::size_t variable = 0;
  };
  static constexpr std::size_t deepest = 32; ///< most values that wait on the stack

private:
  std::string option_, text_;
  std::vector<Step> steps_;
};

namespace detail {
template <class S>
S unary(Expression::Action action, const S& a) {
  using A = Expression::Action;
  using std::abs, std::atan, std::cos, std::cosh, std::exp, std::log, std::sin, std::sinh, std::sqrt, std::tan,
      std::tanh;
  switch (action) {
  case A::negate:
    return -a;
  case A::sin:
    return sin(a);
  case A::cos:
    return cos(a);
  case A::tan:
    return tan(a);
  case A::atan:
    return atan(a);
  case A::sinh:
    return sinh(a);
  case A::cosh:
    return cosh(a);
  case A::tanh:
    return tanh(a);
  case A::exp:
    return exp(a);
  case A::log:
    return log(a);
  case A::sqrt:
    return sqrt(a);
  default:
    return abs(a);
  }
}

/// a^b; a constant exponent keeps bases that are zero or negative.
template <class S>
S power(const S& a, const S& b) {
  using std::pow;
  if constexpr (!std::is_same_v<S, double>)
    if (std::all_of(b.slope.begin(), b.slope.end(), [](double s) { return s == 0.0; })) return pow(a, b.value);
  return pow(a, b);
}

template <class S>
S binary(Expression::Action action, const S& a, const S& b) {
  using A = Expression::Action;
  switch (action) {
  case A::plus:
    return a + b;
  case A::minus:
    return a - b;
  case A::times:
    return a * b;
  case A::over:
    return a / b;
  case A::power:
    return power(a, b);
  case A::less:
    return S(a < b ? 1.0 : 0.0);
  case A::greater:
    return S(a > b ? 1.0 : 0.0);
  case A::min:
    return b < a ? b : a;
  default:
    return a < b ? b : a;
  }
}
} // namespace detail

template <class S>
S Expression::operator()(std::span<const S> values) const {
  std::array<S, deepest> stack;
  std::size_t top = 0;
  for (const Step& step : steps_) {
    if (step.action == Action::number) {
      stack[top++] = S(step.number);
    } else if (step.action == Action::variable) {
      stack[top++] = values[step.variable];
    } else if (step.action == Action::choose) {
      top -= 2;
      stack[top - 1] = core::value_of(stack[top - 1]) != 0.0 ? stack[top] : stack[top + 1];
    } else if (step.action <= Action::greater || step.action == Action::min || step.action == Action::max) {
      --top;
      stack[top - 1] = detail::binary(step.action, stack[top - 1], stack[top]);
    } else {
      stack[top - 1] = detail::unary(step.action, stack[top - 1]);
    }
  }
  return stack[0];
}

} // namespace rhumb::movingmesh
