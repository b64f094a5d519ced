#pragma once
/// The formula language of all case files, such as `0.8*(1 + 1e-3*(T - 300))`; docs/reference/formulas.md describes it. A formula
/// is read once, with the names that its place allows, and evaluated at a point or at many points at once, in double or
/// in duals, which give its exact derivatives by any of its variables.

#include <rhumb/core/formula_machine.hpp>
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rhumb::core {

/// What a formula may name. These names hide constants of the language, such as e.
struct FormulaNames {
  std::vector<std::string> variables;                         ///< in the order in which their values are given
  std::vector<std::pair<std::string, double>> constants = {}; ///< known when the formula is read
};

class Formula {
public:
  template <class S>
  using Column = formula::Column<S>;

  Formula(std::string text, formula::Program program) : text_(std::move(text)), program_(std::move(program)) {}

  /// At a point; `values` has one value for each variable.
  template <class S>
  S operator()(std::span<const S> values) const;

  /// At `points` points; `variables` has one column for each variable. Those that the formula does not use may be
  /// empty.
  template <class S>
  void evaluate(std::span<const Column<S>> variables, std::size_t points, S* results) const;

  const std::string& text() const { return text_; }
  /// Whether its value can depend on the variable of that index.
  bool uses(std::size_t variable) const;

private:
  std::string text_;
  formula::Program program_;
};

/// Limits of what is read: a longer or deeper text is a mistake, not a formula.
inline constexpr std::size_t max_formula_length = 16384;
inline constexpr int max_formula_nesting = 256; ///< brackets, signs, exponents and ?: inside each other

/// Throws BadInput that shows the place of the mistake; `source` names the option or key for the message. Depends on
/// nothing but its arguments.
Formula parse_formula(std::string_view text, const FormulaNames& names, std::string_view source = {});

template <class S>
S Formula::operator()(std::span<const S> values) const {
  using One = std::integral_constant<std::size_t, 1>;
  S result{};
  formula::Machine<S, One>(values.data(), 0, One()).run(program_, &result);
  return result;
}

template <class S>
void Formula::evaluate(std::span<const Column<S>> variables, std::size_t points, S* results) const {
  for (std::size_t first = 0; first < points; first += formula::block_size<S>) {
    const std::size_t count = std::min(points - first, formula::block_size<S>);
    formula::Machine<S, std::size_t>(variables.data(), first, count).run(program_, results + first);
  }
}

// Compiled once, in formula.cpp.
extern template double Formula::operator()(std::span<const double>) const;
extern template Dual<1> Formula::operator()(std::span<const Dual<1>>) const;
extern template void Formula::evaluate(std::span<const Column<double>>, std::size_t, double*) const;
extern template void Formula::evaluate(std::span<const Column<Dual<1>>>, std::size_t, Dual<1>*) const;

} // namespace rhumb::core
