#include <rhumb/core/formula_functions.hpp>

#include <cmath>
#include <numbers>

namespace rhumb::core::formula {

namespace {

/// From one generic function: its value, and by duals its derivatives.
template <class F>
constexpr Callee of_one(F) {
  Callee callee;
  callee.one = [](double a) -> double { return F{}(a); };
  callee.one_dual = [](double a) -> Dual<1> { return F{}(Dual<1>::variable(a, 0)); };
  return callee;
}
template <class F>
constexpr Callee of_two(F) {
  Callee callee;
  callee.two = [](double a, double b) -> double { return F{}(a, b); };
  callee.two_dual = [](double a, double b) { return F{}(Dual<2>::variable(a, 0), Dual<2>::variable(b, 1)); };
  callee.by_first = [](double a, double b) { return F{}(Dual<1>::variable(a, 0), Dual<1>(b)); };
  callee.by_second = [](double a, double b) { return F{}(Dual<1>(a), Dual<1>::variable(b, 0)); };
  return callee;
}

template <class F>
constexpr Function one(const char* name, F f) {
  return {name, 1, 1, Operation::call_one, of_one(f)};
}
template <class F>
constexpr Function two(const char* name, F f) {
  return {name, 2, 2, Operation::call_two, of_two(f)};
}

// Finds the function of std for numbers, and that of core for duals.
#define RHUMB_ONE(f)                                                                                                   \
  one(#f, [](const auto& a) {                                                                                          \
    using std::f;                                                                                                      \
    return f(a);                                                                                                       \
  })
#define RHUMB_TWO(f)                                                                                                   \
  two(#f, [](const auto& a, const auto& b) {                                                                           \
    using std::f;                                                                                                      \
    return f(a, b);                                                                                                    \
  })

constexpr auto natural_logarithm = [](const auto& a) {
  using std::log;
  return log(a);
};
// What is constant between jumps has no slope; where there is no number there is none after it.
constexpr auto nearest_integer = [](const auto& a) { return std::round(value_of(a)); };
constexpr auto sign = [](const auto& a) {
  const double v = value_of(a);
  return v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : v;
};
constexpr auto step = [](const auto& a) {
  const double v = value_of(a);
  return v >= 0.0 ? 1.0 : v < 0.0 ? 0.0 : v;
};

constexpr std::array all_functions{
    RHUMB_ONE(sin),
    RHUMB_ONE(cos),
    RHUMB_ONE(tan),
    RHUMB_ONE(asin),
    RHUMB_ONE(acos),
    RHUMB_ONE(atan),
    RHUMB_ONE(sinh),
    RHUMB_ONE(cosh),
    RHUMB_ONE(tanh),
    RHUMB_ONE(asinh),
    RHUMB_ONE(acosh),
    RHUMB_ONE(atanh),
    RHUMB_ONE(exp),
    RHUMB_ONE(expm1),
    RHUMB_ONE(log),
    one("ln", natural_logarithm),
    RHUMB_ONE(log1p),
    RHUMB_ONE(log2),
    RHUMB_ONE(log10),
    RHUMB_ONE(cbrt),
    RHUMB_ONE(erf),
    RHUMB_ONE(erfc),
    one("floor", [](const auto& a) { return std::floor(value_of(a)); }),
    one("ceil", [](const auto& a) { return std::ceil(value_of(a)); }),
    one("round", nearest_integer),
    one("rint", nearest_integer),
    one("sign", sign),
    one("step", step),
    RHUMB_TWO(pow),
    RHUMB_TWO(atan2),
    RHUMB_TWO(hypot),
    Function{"sqrt", 1, 1, Operation::square_root, {}},
    Function{"abs", 1, 1, Operation::absolute, {}},
    Function{"min", 1, any_number, Operation::minimum, {}},
    Function{"max", 1, any_number, Operation::maximum, {}},
    Function{"sum", 1, any_number, Operation::add, {}},
    Function{"avg", 1, any_number, Operation::add, {}, true},
    Function{"if", 3, 3, Operation::choose, {}},
};

constexpr std::array all_constants{Constant{"pi", std::numbers::pi}, Constant{"e", std::numbers::e}};

} // namespace

std::span<const Function> functions() {
  return all_functions;
}

std::span<const Constant> constants() {
  return all_constants;
}

const Callee& power() {
  static const Callee callee = RHUMB_TWO(pow).callee;
  return callee;
}

} // namespace rhumb::core::formula
