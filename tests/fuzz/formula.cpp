/// Formulas: what parses is evaluated, at one point and at many, with derivatives.

#include "target.hpp"
#include <rhumb/core/formula.hpp>
#include <array>
#include <cmath>
#include <cstdlib>

namespace rhumb::fuzz {

namespace {
bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}
} // namespace

void test(std::string_view input) {
  const core::FormulaNames names{{"x", "y", "t", "T"}, {{"pi2", 6.283185307179586}}};
  const core::Formula formula = core::parse_formula(input, names, "-option");
  const std::array<std::array<double, 3>, 4> columns{
      {{0.25, -1.0, 1e300}, {0.0, 2.0, -3.5}, {1.0, 0.0, 7.0}, {300.0, -0.0, 1e-300}}};
  using Column = core::Formula::Column<double>;
  const std::array<Column, 4> variables{Column{columns[0].data()}, Column{columns[1].data()}, Column{columns[2].data()},
                                        Column{columns[3].data()}};
  std::array<double, 3> many{};
  formula.evaluate<double>(std::span<const Column>(variables), many.size(), many.data());
  for (std::size_t i = 0; i < many.size(); ++i) {
    const std::array<double, 4> point{columns[0][i], columns[1][i], columns[2][i], columns[3][i]};
    if (!same(formula(std::span<const double>(point)), many[i])) std::abort(); // one point is one of many
    std::array<core::Dual<1>, 4> dual{};
    for (std::size_t k = 0; k < dual.size(); ++k) dual[k] = core::Dual<1>(point[k]);
    formula(std::span<const core::Dual<1>>(dual));
  }
  for (std::size_t k = 0; k < variables.size(); ++k) formula.uses(k);
}

} // namespace rhumb::fuzz
