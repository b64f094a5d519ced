#include <rhumb/bdf/hessenberg.hpp>

#include <algorithm>
#include <cmath>

namespace rhumb::bdf {

namespace {

/// Inverse iteration ends when the singular value changes by less than this, or after so many steps.
constexpr double close_enough = 1e-3;
constexpr int most_steps = 30;

double norm_of(std::span<const double> x) {
  double square = 0.0;
  for (const double value : x) square += value * value;
  return std::sqrt(square);
}

} // namespace

void Hessenberg::begin(double beta, int most) {
  if (most != most_) {
    const auto size = static_cast<std::size_t>(most);
    most_ = most;
    triangle_.assign(size * size, 0.0);
    for (auto* v : {&cosine_, &sine_, &solution_, &direction_}) v->assign(size, 0.0);
    right_.assign(size + 1, 0.0);
  }
  columns_ = 0;
  right_[0] = beta;
}

double Hessenberg::append(std::span<const double> products, double left) {
  const int k = columns_++;
  const auto last = static_cast<std::size_t>(k);
  std::ranges::copy(products, triangle_.begin() + static_cast<std::ptrdiff_t>(index(0, k)));
  for (int i = 0; i < k; ++i) {
    const double c = cosine_[i], s = sine_[i];
    const double upper = entry(i, k), lower = entry(i + 1, k);
    entry(i, k) = c * upper + s * lower;
    entry(i + 1, k) = -s * upper + c * lower;
  }
  const double length = std::hypot(entry(k, k), left);
  cosine_[last] = length == 0.0 ? 0.0 : entry(k, k) / length; // a column of zeros leaves the residual as it is
  sine_[last] = length == 0.0 ? 1.0 : left / length;
  entry(k, k) = length;
  right_[last + 1] = -sine_[last] * right_[last];
  right_[last] *= cosine_[last];
  return std::abs(right_[last + 1]);
}

bool Hessenberg::solvable() const {
  for (int k = 0; k < columns_; ++k)
    if (entry(k, k) == 0.0) return false;
  return true;
}

std::span<const double> Hessenberg::solution() {
  const auto y = std::span(solution_).first(static_cast<std::size_t>(columns_));
  std::copy_n(right_.begin(), columns_, y.begin());
  solve(y);
  return y;
}

/// x becomes R^-1 x.
void Hessenberg::solve(std::span<double> x) const {
  for (int column = columns_ - 1; column >= 0; --column) {
    const double value = x[column] /= entry(column, column);
    for (int row = 0; row < column; ++row) x[row] -= entry(row, column) * value;
  }
}

/// x becomes R^-T x.
void Hessenberg::solve_transposed(std::span<double> x) const {
  for (int column = 0; column < columns_; ++column) {
    double rest = x[column];
    for (int row = 0; row < column; ++row) rest -= entry(row, column) * x[row];
    x[column] = rest / entry(column, column);
  }
}

double Hessenberg::norm() const {
  double square = 0.0;
  for (int column = 0; column < columns_; ++column)
    for (int row = 0; row <= column; ++row) square += entry(row, column) * entry(row, column);
  return std::sqrt(square);
}

double Hessenberg::smallest_singular_value() {
  if (columns_ == 0) return 1.0;
  if (!solvable()) return 0.0;
  const auto x = std::span(direction_).first(static_cast<std::size_t>(columns_));
  begin_large(x);
  double inverse = 0.0; // of the singular value
  for (int step = 0; step < most_steps; ++step) {
    const double length = norm_of(x);
    for (double& value : x) value /= length;
    solve(x);
    const double grown = norm_of(x);
    solve_transposed(x);
    if (std::abs(grown - inverse) <= close_enough * grown) return 1.0 / grown;
    inverse = grown;
  }
  return 1.0 / inverse;
}

/// R^-T b for a b of ones whose signs make it large, as LINPACK's estimate of a condition does: it has much of what
/// inverse iteration looks for.
void Hessenberg::begin_large(std::span<double> x) const {
  for (int column = 0; column < columns_; ++column) {
    double sum = 0.0;
    for (int row = 0; row < column; ++row) sum += entry(row, column) * x[row];
    x[column] = -(sum + (sum < 0.0 ? -1.0 : 1.0)) / entry(column, column);
  }
}

} // namespace rhumb::bdf
