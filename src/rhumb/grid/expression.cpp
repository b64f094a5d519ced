#include <rhumb/grid/expression.hpp>

#include <algorithm>

namespace rhumb::grid {

namespace {

core::FormulaNames names_of(const std::string& letters, const Expression::Constants& constants) {
  core::FormulaNames names{{}, constants};
  for (const char letter : letters) names.variables.emplace_back(1, letter);
  return names;
}

/// 0 to 2 for a coordinate.
std::size_t direction_of(char letter) {
  return letter == 'y' ? 1 : letter == 'z' ? 2 : 0;
}

double value_of(char letter, const Where& where) {
  return letter == 't' ? where.t : letter == 'T' ? where.T : where.x[direction_of(letter)];
}

} // namespace

Expression::Expression(std::string option, const std::string& text, std::string letters, const Constants& constants)
    : option_(std::move(option)), letters_(std::move(letters)),
      formula_(core::parse_formula(text, names_of(letters_, constants), "option -" + option_)) {
  for (std::size_t i = 0; i < letters_.size(); ++i)
    if (formula_.uses(i)) used_ += letters_[i];
}

double Expression::operator()(const Where& where) const {
  std::array<double, most_letters> values;
  for (std::size_t i = 0; i < letters_.size(); ++i) values[i] = value_of(letters_[i], where);
  return formula_(std::span<const double>(values.data(), letters_.size()));
}

double Expression::derivative(const Where& where, char letter) const {
  if (!uses(letter)) return 0.0;
  using Dual = core::Dual<1>;
  std::array<Dual, most_letters> values;
  for (std::size_t i = 0; i < letters_.size(); ++i) {
    values[i].value = value_of(letters_[i], where);
    values[i].derivatives[0] = letters_[i] == letter ? 1.0 : 0.0;
  }
  return formula_(std::span<const Dual>(values.data(), letters_.size())).derivatives[0];
}

void Expression::evaluate(const PointBatch& points, double* values) const {
  std::array<core::Formula::Column<double>, most_letters> columns;
  for (std::size_t i = 0; i < letters_.size(); ++i) {
    const char letter = letters_[i];
    columns[i] = {letter == 't' ? &points.t : letter == 'T' ? points.T : points.x[direction_of(letter)], letter == 't'};
  }
  formula_.evaluate(std::span<const core::Formula::Column<double>>(columns), points.count, values);
}

void Expression::evaluate_derivatives(const PointBatch& points, double* derivatives) const {
  using Dual = core::Dual<1>;
  constexpr std::size_t block = core::formula::block_size<Dual>;
  std::array<std::array<Dual, block>, most_letters> inputs;
  std::array<Dual, block> results;
  std::array<core::Formula::Column<Dual>, most_letters> columns;
  for (std::size_t first = 0; first < points.count; first += block) {
    const std::size_t count = std::min(block, points.count - first);
    for (std::size_t i = 0; i < letters_.size(); ++i) {
      const char letter = letters_[i];
      columns[i] = {inputs[i].data(), letter == 't'};
      if (!uses(letter)) continue;
      if (letter == 't') {
        inputs[i][0] = points.t;
        continue;
      }
      const double* from = (letter == 'T' ? points.T : points.x[direction_of(letter)]) + first;
      for (std::size_t k = 0; k < count; ++k) inputs[i][k].value = from[k];
      for (std::size_t k = 0; k < count; ++k) inputs[i][k].derivatives[0] = letter == 'T' ? 1.0 : 0.0;
    }
    formula_.evaluate(std::span<const core::Formula::Column<Dual>>(columns), count, results.data());
    for (std::size_t k = 0; k < count; ++k) derivatives[first + k] = results[k].derivatives[0];
  }
}

} // namespace rhumb::grid
