#include <rhumb/pde/moving/profile.hpp>

#include <algorithm>
#include <cmath>

namespace rhumb::moving {

double Profile::derivative(std::size_t k, std::size_t i) const {
  const auto& v = u[k];
  const auto quotient = [&](std::size_t c) { return (v[c + 1] - v[c]) / (x[c + 1] - x[c]); };
  const std::size_t last = x.size() - 1;
  if (i == 0 || i == last) {
    // The parabola through the three nodes at the end, cut to what keeps the cell monotone.
    if (last < 2) return quotient(0);
    const std::size_t c = i == 0 ? 0 : last - 1, next = i == 0 ? 1 : last - 2;
    const double d = quotient(c), far = quotient(next), h = x[c + 1] - x[c], g = x[next + 1] - x[next];
    const double s = d + (d - far) * h / (h + g);
    if (s * d <= 0.0) return 0.0;
    return std::abs(s) > 3.0 * std::abs(d) ? 3.0 * d : s;
  }
  const double left = quotient(i - 1), right = quotient(i);
  if (left * right <= 0.0) return 0.0;
  const double h = x[i] - x[i - 1], g = x[i + 1] - x[i];
  const double w = (h + 2.0 * g) / (3.0 * (h + g));
  return left * right / (w * right + (1.0 - w) * left);
}

namespace {
/// The cubic over a cell of length h, at its part s: values and slopes of both ends.
double hermite(double h, double s, double left, double right, double left_derivative, double right_derivative) {
  const double r = 1.0 - s;
  return left * r * r * (1.0 + 2.0 * s) + right * s * s * (3.0 - 2.0 * s) +
         h * s * r * (left_derivative * r - right_derivative * s);
}
} // namespace

double Profile::in_cell(std::size_t k, std::size_t c, double s) const {
  return hermite(x[c + 1] - x[c], s, u[k][c], u[k][c + 1], derivative(k, c), derivative(k, c + 1));
}

std::size_t Profile::cell_of(double position) const {
  return static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), position) - x.begin()) - 1;
}

double Profile::value(std::size_t k, double position) const {
  if (position <= x.front()) return u[k].front();
  if (position >= x.back()) return u[k].back();
  const std::size_t c = cell_of(position);
  return in_cell(k, c, (position - x[c]) / (x[c + 1] - x[c]));
}

/// Slopes are computed once per node and cells looked for once per place.
Profile Profile::on(const std::vector<double>& positions) const {
  Profile out{positions, std::vector<std::vector<double>>(u.size(), std::vector<double>(positions.size()))};
  const auto inside = [this](double position) { return position > x.front() && position < x.back(); };
  std::vector<std::size_t> cells;
  for (const double position : positions) cells.push_back(inside(position) ? cell_of(position) : 0);
  std::vector<double> derivatives(x.size());
  for (std::size_t k = 0; k < u.size(); ++k) {
    for (std::size_t i = 0; i < x.size(); ++i) derivatives[i] = derivative(k, i);
    for (std::size_t p = 0; p < positions.size(); ++p) {
      const std::size_t c = cells[p];
      const double position = positions[p], h = x[c + 1] - x[c];
      out.u[k][p] = inside(position)
                        ? hermite(h, (position - x[c]) / h, u[k][c], u[k][c + 1], derivatives[c], derivatives[c + 1])
                        : (position <= x.front() ? u[k].front() : u[k].back());
    }
  }
  return out;
}

std::optional<double> Profile::front(std::size_t k, double level) const {
  for (std::size_t c = x.size() - 1; c-- > 0;) {
    const double a = u[k][c] - level, b = u[k][c + 1] - level;
    if (!(a * b <= 0.0) || a == b) continue;
    double low = 0.0, high = 1.0; // monotone in the cell: halve
    for (int i = 0; i < 50; ++i) {
      const double s = 0.5 * (low + high);
      ((in_cell(k, c, s) - level) * a > 0.0 ? low : high) = s;
    }
    return x[c] + high * (x[c + 1] - x[c]);
  }
  return std::nullopt;
}

std::vector<double> equal_shares(std::span<const double> positions, std::span<const double> density,
                                 std::size_t cells) {
  std::vector<double> sum{0.0};
  for (std::size_t c = 0; c < density.size(); ++c)
    sum.push_back(sum.back() + density[c] * (positions[c + 1] - positions[c]));
  std::vector<double> x{positions.front()};
  std::size_t c = 0;
  for (std::size_t i = 1; i < cells; ++i) {
    const double wanted = sum.back() * static_cast<double>(i) / static_cast<double>(cells);
    while (c + 1 < density.size() && sum[c + 1] < wanted) ++c;
    x.push_back(positions[c] + (wanted - sum[c]) / density[c]);
  }
  x.push_back(positions.back());
  return x;
}

} // namespace rhumb::moving
