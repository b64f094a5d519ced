#include <rhumb/dae/pencil.hpp>

#include <rhumb/dae/dense_algebra.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace rhumb::dae {

namespace {

constexpr double noticeable_part = 0.1; // of the largest entry of a null vector
constexpr int scaling_rounds = 30;
constexpr double rounding = 1e-13;   // of the largest entry of a solution
constexpr double whole_number = 0.1; // how near a measured power must be
constexpr double limit_factor = 1e2; // 1/h beyond the fastest rate of the equations; then by this again, and again
constexpr int limit_attempts = 4;

struct Matrices {
  DenseMatrix a, b; ///< dF/dy' and dF/dy
};

Matrices matrices_of(const Pencil& pencil) {
  Matrices out{DenseMatrix(pencil.size, pencil.size), DenseMatrix(pencil.size, pencil.size)};
  for (std::size_t i = 0; i < pencil.size; ++i)
    for (std::size_t j = 0; j < pencil.size; ++j) {
      out.a(i, j) = pencil.rates[i * pencil.size + j];
      out.b(i, j) = pencil.values[i * pencil.size + j];
    }
  return out;
}

/// Factors of rows and columns, and of the unit of time, as logarithms.
struct Scales {
  std::vector<double> row, column;
  double rate = 0.0; ///< of A beside B
};

/// Moves each factor to where the entries that it multiplies have the logarithms' mean 0. `which` chooses the factor of
/// an entry of A or B.
template <class Which>
void center(const Matrices& m, Scales& scales, std::vector<double>& factors, Which&& which) {
  std::vector<double> sum(factors.size(), 0.0), count(factors.size(), 0.0);
  for (std::size_t j = 0; j < m.a.columns; ++j)
    for (std::size_t i = 0; i < m.a.rows; ++i)
      for (const bool of_a : {true, false}) {
        const double size = std::abs(of_a ? m.a(i, j) : m.b(i, j));
        const std::size_t k = which(i, j, of_a);
        if (size == 0.0 || k >= factors.size()) continue;
        sum[k] += std::log(size) + scales.row[i] + scales.column[j] + (of_a ? scales.rate : 0.0);
        count[k] += 1.0;
      }
  for (std::size_t k = 0; k < factors.size(); ++k)
    if (count[k] > 0.0) factors[k] -= sum[k] / count[k];
}

/// Rows, columns and the unit of time are chosen so that the logarithms of all entries of A and B are small in the
/// least-squares sense (Curtis and Reid 1972; for pencils Ward 1981): neither units nor the fineness of a grid make a
/// rank.
void scale(Matrices& m) {
  Scales scales{std::vector<double>(m.a.rows, 0.0), std::vector<double>(m.a.columns, 0.0)};
  std::vector<double> rate(1, 0.0);
  for (int round = 0; round < scaling_rounds; ++round) {
    center(m, scales, scales.row, [](std::size_t i, std::size_t, bool) { return i; });
    center(m, scales, scales.column, [](std::size_t, std::size_t j, bool) { return j; });
    center(m, scales, rate, [](std::size_t, std::size_t, bool of_a) { return of_a ? std::size_t{0} : std::size_t{1}; });
    scales.rate = rate[0];
  }
  for (std::size_t j = 0; j < m.a.columns; ++j)
    for (std::size_t i = 0; i < m.a.rows; ++i) {
      m.a(i, j) *= std::exp(scales.row[i] + scales.column[j] + scales.rate);
      m.b(i, j) *= std::exp(scales.row[i] + scales.column[j]);
    }
}

/// s A + B with each row, then each column divided by its largest entry; what the columns were divided by.
std::pair<DenseMatrix, std::vector<double>> combined(const Matrices& m, double s, std::vector<double>* right_side) {
  DenseMatrix g = m.b;
  std::vector<double> columns(g.columns, 1.0);
  for (std::size_t k = 0; k < g.entries.size(); ++k) g.entries[k] += s * m.a.entries[k];
  for (std::size_t i = 0; i < g.rows; ++i) {
    double size = 0.0;
    for (std::size_t j = 0; j < g.columns; ++j) size = std::max(size, std::abs(g(i, j)));
    if (size == 0.0) continue;
    for (std::size_t j = 0; j < g.columns; ++j) g(i, j) /= size;
    if (right_side) (*right_side)[i] /= size;
  }
  for (std::size_t j = 0; j < g.columns; ++j) {
    double size = 0.0;
    for (std::size_t i = 0; i < g.rows; ++i) size = std::max(size, std::abs(g(i, j)));
    if (size == 0.0) continue;
    columns[j] = size;
    for (std::size_t i = 0; i < g.rows; ++i) g(i, j) /= size;
  }
  return {std::move(g), std::move(columns)};
}

/// The fastest rate that an equation has by itself, for 1/h beyond it.
double fastest_rate(const Matrices& m) {
  double fastest = 1.0;
  for (std::size_t i = 0; i < m.a.rows; ++i) {
    double of_a = 0.0, of_b = 0.0;
    for (std::size_t j = 0; j < m.a.columns; ++j) {
      of_a = std::max(of_a, std::abs(m.a(i, j)));
      of_b = std::max(of_b, std::abs(m.b(i, j)));
    }
    if (of_a > 0.0) fastest = std::max(fastest, of_b / of_a);
  }
  return fastest;
}

void mark(const DenseMatrix& vectors, std::size_t first, std::vector<char>& entries) {
  entries.assign(vectors.rows, 0);
  for (std::size_t k = first; k < vectors.columns; ++k) {
    double largest = 0.0;
    for (std::size_t i = 0; i < vectors.rows; ++i) largest = std::max(largest, std::abs(vectors(i, k)));
    for (std::size_t i = 0; i < vectors.rows; ++i)
      if (std::abs(vectors(i, k)) > noticeable_part * largest) entries[i] = 1;
  }
}

/// [A; B] or, for the left side, [A^T; B^T].
DenseMatrix stacked(const Matrices& m, bool left) {
  DenseMatrix out(2 * m.a.rows, m.a.columns);
  for (std::size_t i = 0; i < m.a.rows; ++i)
    for (std::size_t j = 0; j < m.a.columns; ++j) {
      out(i, j) = left ? m.a(j, i) : m.a(i, j);
      out(m.a.rows + i, j) = left ? m.b(j, i) : m.b(i, j);
    }
  return out;
}

/// Null vectors of s A + B for a general s. Those that A and B share on both sides are combinations of variables that
/// no equation holds and equations that say nothing new: with one such equation made to hold one such combination, the
/// pencil may be regular.
NullParts regularize(Matrices& m, double negligible) {
  NullParts out;
  constexpr double general = 1.2345;
  const SingularValues at_general = singular_values(combined(m, general, nullptr).first);
  const std::size_t size = m.a.rows, rank = at_general.rank(negligible * at_general.values.front());
  if (rank == size) return out;
  out.count = static_cast<int>(size - rank);
  mark(at_general.left, rank, out.rows);
  mark(at_general.right, rank, out.columns);
  const SingularValues right = singular_values(stacked(m, false)), left = singular_values(stacked(m, true));
  const std::size_t right_rank = right.rank(negligible * right.values.front());
  const std::size_t left_rank = left.rank(negligible * left.values.front());
  out.constant = right_rank == rank && left_rank == rank;
  if (!out.constant) return out;
  mark(left.right, rank, out.rows);
  mark(right.right, rank, out.columns);
  for (std::size_t k = rank; k < size; ++k)
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t i = 0; i < size; ++i) m.b(i, j) += left.right(i, k) * right.right(j, k);
  return out;
}

/// The number of times that constraints must be taken out until A is nonsingular: with A = [A1; 0] the rows B2 below
/// are constraints; in coordinates with B2 = [0, R] the last variables are known, and A11 remains.
int count_deflations(DenseMatrix a, DenseMatrix b, double negligible) {
  double tolerance = 0.0; // of A, from its first singular value
  for (int index = 0;; ++index) {
    const std::size_t size = a.rows;
    const SingularValues of_a = singular_values(a);
    if (index == 0) tolerance = negligible * of_a.values.front();
    const std::size_t rank = of_a.rank(tolerance);
    if (rank == size) return index;
    a = transposed_product(of_a.left, a);
    b = transposed_product(of_a.left, b);
    const SingularValues of_constraints = singular_values(block(b, rank, size, 0, size));
    if (of_constraints.rank(negligible * of_constraints.values.front()) < size - rank) return -1;
    // The columns of `right` beyond the constraints' rank span what they leave free.
    const DenseMatrix free = block(of_constraints.right, 0, size, size - rank, size);
    a = product(block(a, 0, rank, 0, size), free);
    b = product(block(b, 0, rank, 0, size), free);
  }
}

/// In [1, 2), the same in every run.
double probe_amplitude(std::size_t entry) {
  constexpr double golden = 0.6180339887498949;
  const double x = golden * static_cast<double>(entry + 1);
  return 1.0 + x - std::floor(x);
}

std::vector<double> absolute_product(const DenseMatrix& a, const std::vector<double>& x) {
  std::vector<double> out(a.rows, 0.0);
  for (std::size_t j = 0; j < a.columns; ++j)
    for (std::size_t i = 0; i < a.rows; ++i) out[i] += std::abs(a(i, j)) * std::abs(x[j]);
  return out;
}

/// |G^-1 r|, with 0 for what may be rounding: the error of G^-1 is bounded by a small multiple of u |G^-1| |G| |G^-1|.
std::vector<double> without_rounding(const DenseMatrix& g, const DenseMatrix& inverse, const std::vector<double>& r) {
  std::vector<double> x(r.size(), 0.0);
  for (std::size_t j = 0; j < r.size(); ++j)
    for (std::size_t i = 0; i < r.size(); ++i) x[i] += inverse(i, j) * r[j];
  const std::vector<double> error = absolute_product(inverse, absolute_product(g, absolute_product(inverse, r)));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::abs(x[i]) > rounding * error[i] ? std::abs(x[i]) : 0.0;
  return x;
}

/// Powers of s in (s A + B)^-1 r between s and limit_factor s; `unclear` where they are no whole numbers.
std::vector<int> powers(const Matrices& m, double s, const std::vector<double>& r) {
  std::array<std::vector<double>, 2> x;
  std::vector<int> out(r.size(), unclear);
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double> right_side = r;
    const auto [g, columns] = combined(m, k == 0 ? s : limit_factor * s, &right_side);
    const auto inverse = inverted(g);
    if (!inverse) return out;
    x[k] = without_rounding(g, *inverse, right_side);
    for (std::size_t j = 0; j < columns.size(); ++j) x[k][j] /= columns[j];
  }
  for (std::size_t j = 0; j < r.size(); ++j) {
    if (x[0][j] == 0.0 || x[1][j] == 0.0) continue;
    const double power = std::log(x[1][j] / x[0][j]) / std::log(limit_factor);
    if (std::abs(power - std::round(power)) < whole_number) out[j] = static_cast<int>(std::lround(power));
  }
  return out;
}

/// In the limit: where two decades of 1/h say the same.
std::vector<int> growth_of(const Matrices& m) {
  std::vector<double> r(m.a.rows);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = probe_amplitude(i);
  double s = limit_factor * fastest_rate(m);
  std::vector<int> before = powers(m, s, r), now = before;
  for (int attempt = 0; attempt < limit_attempts; ++attempt) {
    s *= limit_factor;
    now = powers(m, s, r);
    if (now == before) return now;
    std::swap(before, now);
  }
  for (std::size_t j = 0; j < now.size(); ++j)
    if (now[j] != before[j]) now[j] = unclear;
  return now;
}

} // namespace

PencilIndex pencil_index(const Pencil& pencil, RankTolerance tolerance) {
  PencilIndex out;
  if (pencil.size == 0) {
    out.index = 0;
    return out;
  }
  Matrices m = matrices_of(pencil);
  scale(m);
  out.null = regularize(m, tolerance.relative);
  if (out.null.count > 0 && !out.null.constant) return out;
  out.index = count_deflations(m.a, m.b, tolerance.relative);
  if (out.index < 0) return out;
  out.growth = growth_of(m);
  return out;
}

} // namespace rhumb::dae
