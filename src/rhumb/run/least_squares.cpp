#include <rhumb/run/least_squares.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace rhumb::run {

namespace {
/// Of J^T J with columns of length 1: a smaller eigenvalue inflates standard errors more than a thousandfold.
constexpr double undetermined = 1e-6;
/// Of a parameter's part in such a combination.
constexpr double takes_part = 0.1;
constexpr int most_iterations = 100;
/// Marquardt's damping: by how much it changes, and where there is no hope left.
constexpr double damping_factor = 10.0, largest_damping = 1e10, smallest_damping = 1e-12;
/// Of the sum of squares: a smaller decrease is none.
constexpr double negligible_decrease = 1e-9;

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The step that the linear model wants, with the parameters that stand at a bound and want beyond it left where they are.
std::vector<double> damped_step(const LeastSquaresProblem& problem, const std::vector<double>& x, const Residuals& at,
                                double damping) {
  const std::size_t n = x.size();
  std::vector<std::vector<double>> rows(n, std::vector<double>(n + 1, 0.0)); // of the normal equations, right side last
  for (std::size_t i = 0; i < n; ++i) {
    const double slope = product(at.derivatives[i], at.values), square = product(at.derivatives[i], at.derivatives[i]);
    const bool held = (x[i] <= problem.lower[i] && slope > 0.0) || (x[i] >= problem.upper[i] && slope < 0.0);
    if (held || square == 0.0) {
      rows[i][i] = 1.0;
      continue;
    }
    for (std::size_t k = 0; k < n; ++k) rows[i][k] = product(at.derivatives[i], at.derivatives[k]);
    rows[i][i] += damping * square;
    rows[i][n] = -slope;
  }
  for (std::size_t i = 0; i < n; ++i) // the matrix is positive definite but for held rows, which are those of 1
    for (std::size_t k = i + 1; k < n; ++k) {
      const double factor = rows[k][i] / rows[i][i];
      for (std::size_t j = i; j <= n; ++j) rows[k][j] -= factor * rows[i][j];
    }
  std::vector<double> step(n);
  for (std::size_t i = n; i-- > 0;) {
    double sum = rows[i][n];
    for (std::size_t k = i + 1; k < n; ++k) sum -= rows[i][k] * step[k];
    step[i] = sum / rows[i][i];
  }
  return step;
}
} // namespace

double Residuals::square() const {
  return product(values, values);
}

LeastSquaresSolution minimize(const LeastSquaresProblem& problem) {
  LeastSquaresSolution out{problem.start.x, {}, false, problem.start.iterations};
  const auto first = problem.residuals(out.x);
  if (!first) throw std::logic_error("least squares: no residuals at the start");
  out.residuals = *first;
  double damping = problem.start.damping;
  const auto keep = [&] { problem.keep({out.x, damping, out.iterations}, out.residuals.square()); };
  keep();
  while (out.iterations++ < most_iterations && damping < largest_damping) {
    const auto step = damped_step(problem, out.x, out.residuals, damping);
    std::vector<double> x(out.x);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::clamp(x[i] + step[i], problem.lower[i], problem.upper[i]);
    const double before = out.residuals.square();
    std::vector<double> model(out.residuals.values); // what the linear model expects without bounds
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < model.size(); ++j) model[j] += step[i] * out.residuals.derivatives[i][j];
    if (before - product(model, model) <= negligible_decrease * before) {
      out.converged = true;
      break;
    }
    auto there = problem.residuals(x);
    if (!there || !(there->square() < before)) {
      damping *= damping_factor;
      keep();
      continue;
    }
    out.x = std::move(x);
    out.residuals = std::move(*there);
    damping = std::max(damping / damping_factor, smallest_damping);
    keep();
  }
  return out;
}

namespace {
using Square = std::vector<std::vector<double>>;

/// Eigenvalues of a symmetric matrix on its diagonal, by Jacobi's rotations; the columns of the result are eigenvectors.
Square diagonalize(Square& a) {
  constexpr int sweeps = 30; // a few do, for a few parameters
  const std::size_t n = a.size();
  Square vectors(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) vectors[i][i] = 1.0;
  const auto rotate = [n](Square& m, std::size_t p, std::size_t q, double c, double s) {
    for (std::size_t i = 0; i < n; ++i) {
      const double left = m[i][p], right = m[i][q];
      m[i][p] = c * left - s * right;
      m[i][q] = s * left + c * right;
    }
  };
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p][q] == 0.0) continue;
        const double angle = 0.5 * std::atan2(2.0 * a[p][q], a[q][q] - a[p][p]);
        const double c = std::cos(angle), s = std::sin(angle);
        rotate(a, p, q, c, s);
        for (std::size_t i = 0; i < n; ++i) {
          const double upper = a[p][i], lower = a[q][i];
          a[p][i] = c * upper - s * lower;
          a[q][i] = s * upper + c * lower;
        }
        rotate(vectors, p, q, c, s);
      }
  return vectors;
}
} // namespace

Covariance covariance_of(const Residuals& residuals) {
  const std::size_t n = residuals.derivatives.size();
  const auto& derivatives = residuals.derivatives;
  std::vector<double> length(n);
  Square gram(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) length[i] = std::sqrt(product(derivatives[i], derivatives[i]));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      if (length[i] > 0.0 && length[k] > 0.0)
        gram[i][k] = product(derivatives[i], derivatives[k]) / (length[i] * length[k]);
  const Square vectors = diagonalize(gram);
  Covariance out;
  out.matrix.assign(n, std::vector<double>(n, 0.0));
  for (std::size_t e = 0; e < n; ++e) {
    const double eigenvalue = gram[e][e];
    if (eigenvalue < undetermined) {
      auto& together = out.unknown.emplace_back();
      for (std::size_t i = 0; i < n; ++i)
        if (std::abs(vectors[i][e]) > takes_part) together.push_back(i);
      continue;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        if (length[i] > 0.0 && length[k] > 0.0)
          out.matrix[i][k] += vectors[i][e] * vectors[k][e] / (eigenvalue * length[i] * length[k]);
  }
  for (const auto& together : out.unknown)
    for (const std::size_t i : together) out.matrix[i][i] = std::numeric_limits<double>::infinity();
  return out;
}

} // namespace rhumb::run
