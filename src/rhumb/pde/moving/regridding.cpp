#include <rhumb/pde/moving/regridding.hpp>

#include <algorithm>
#include <cmath>

namespace rhumb::moving {

namespace {
/// Cells differ from their neighbours by at most this factor.
constexpr double grading = 3.0;
/// A node goes when the cell without it would have less than this part of the wanted error: it must not come back soon.
constexpr double needless = 0.4;
/// Where the wanted error takes too many cells, it is raised by this factor until it does not.
constexpr double concession = 1.2;
constexpr int most_passes = 60;

/// |u_xx| between the nodes of a profile, linear, with the peaks spread to the next nodes: fronts move there.
class Curvature {
public:
  Curvature(const Profile& profile, const std::vector<double>& scales) : x_(profile.x) {
    const auto cell_curvatures = curvatures(profile, scales);
    for (std::size_t i = 0; i < cell_curvatures.size(); ++i) {
      const std::size_t left = i == 0 ? 0 : i - 1, right = std::min(i + 1, cell_curvatures.size() - 1);
      values_.push_back(std::max({cell_curvatures[left], cell_curvatures[i], cell_curvatures[right]}));
    }
  }

  /// h^2 / 8 times the largest value on [a, b].
  double error(double a, double b) const {
    double largest = std::max(at(a), at(b));
    for (auto i = std::upper_bound(x_.begin(), x_.end(), a); i != x_.end() && *i < b; ++i)
      largest = std::max(largest, values_[i - x_.begin()]);
    return 0.125 * (b - a) * (b - a) * largest;
  }

private:
  double at(double position) const {
    const auto above = std::upper_bound(x_.begin(), x_.end(), position);
    if (above == x_.begin()) return values_.front();
    if (above == x_.end()) return values_.back();
    const auto i = static_cast<std::size_t>(above - x_.begin());
    const double part = (position - x_[i - 1]) / (x_[i] - x_[i - 1]);
    return (1.0 - part) * values_[i - 1] + part * values_[i];
  }

  const std::vector<double>& x_;
  std::vector<double> values_;
};

/// Halves every cell that `asks`.
template <class Asks>
bool halve(std::vector<double>& x, const Asks& asks) {
  std::vector<double> out{x.front()};
  for (std::size_t c = 0; c + 1 < x.size(); ++c) {
    if (asks(c)) out.push_back(0.5 * (x[c] + x[c + 1]));
    out.push_back(x[c + 1]);
  }
  const bool changed = out.size() != x.size();
  x = std::move(out);
  return changed;
}

/// Takes out nodes whose two cells are needlessly short, never two in a row, as long as `fewest` cells stay.
bool thin_out(std::vector<double>& x, const Curvature& curvature, double wanted, std::size_t fewest) {
  const std::size_t last = x.size() - 1;
  std::size_t cells = last;
  std::vector<double> out{x.front()};
  for (std::size_t i = 1; i < last; ++i) {
    const bool just_removed = out.back() != x[i - 1];
    const double length = x[i + 1] - out.back();
    const double left = i >= 2 ? x[i - 1] - x[i - 2] : length, right = i + 2 <= last ? x[i + 2] - x[i + 1] : length;
    const bool fits =
        length <= grading * std::min(left, right) && curvature.error(out.back(), x[i + 1]) < needless * wanted;
    if (!just_removed && fits && cells > fewest) {
      --cells;
      continue;
    }
    out.push_back(x[i]);
  }
  out.push_back(x.back());
  const bool changed = out.size() != x.size();
  x = std::move(out);
  return changed;
}

std::vector<double> nodes_for(const std::vector<double>& start, const Curvature& curvature, double wanted,
                              std::size_t fewest) {
  auto x = start;
  for (int pass = 0; pass < most_passes; ++pass) {
    bool changed = halve(x, [&](std::size_t c) { return curvature.error(x[c], x[c + 1]) > wanted; });
    changed |= halve(x, [&](std::size_t c) {
      const double cell_curvatures = x[c + 1] - x[c];
      const bool left = c > 0 && cell_curvatures > grading * (x[c] - x[c - 1]);
      return left || (c + 2 < x.size() && cell_curvatures > grading * (x[c + 2] - x[c + 1]));
    });
    changed |= thin_out(x, curvature, wanted, fewest);
    if (!changed) break;
  }
  while (x.size() - 1 < fewest) {
    std::size_t longest = 0;
    for (std::size_t c = 1; c + 1 < x.size(); ++c)
      if (x[c + 1] - x[c] > x[longest + 1] - x[longest]) longest = c;
    halve(x, [&](std::size_t c) { return c == longest; });
  }
  return x;
}
} // namespace

std::vector<double> curvatures(const Profile& profile, const std::vector<double>& scales) {
  const auto& x = profile.x;
  std::vector<double> out(x.size(), 0.0);
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < scales.size(); ++k) {
      const auto& u = profile.u[k];
      const double right = (u[i + 1] - u[i]) / (x[i + 1] - x[i]), left = (u[i] - u[i - 1]) / (x[i] - x[i - 1]);
      const double second = 2.0 * (right - left) / (x[i + 1] - x[i - 1]) / scales[k];
      sum += second * second;
    }
    out[i] = std::sqrt(sum / static_cast<double>(scales.size()));
  }
  if (out.size() > 2) {
    out.front() = out[1];
    out.back() = out[out.size() - 2];
  }
  return out;
}

std::vector<double> cell_errors(const Profile& profile, const std::vector<double>& scales) {
  const auto curvature = curvatures(profile, scales);
  std::vector<double> errors(profile.x.size() - 1);
  for (std::size_t c = 0; c < errors.size(); ++c) {
    const double h = profile.x[c + 1] - profile.x[c];
    errors[c] = 0.125 * h * h * std::max(curvature[c], curvature[c + 1]);
  }
  return errors;
}

double largest_ratio(const std::vector<double>& x) {
  double largest = 1.0;
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    const double left = x[i] - x[i - 1], right = x[i + 1] - x[i];
    largest = std::max({largest, left / right, right / left});
  }
  return largest;
}

double ideal_cells(const std::vector<double>& errors, double wanted) {
  double sum = 0.0;
  for (const double e : errors) sum += std::sqrt(e / wanted);
  return sum;
}

Refined refined(const Profile& profile, const std::vector<double>& scales, const WantedMesh& wanted) {
  const Curvature curvature(profile, scales);
  Refined out{{}, wanted.error};
  for (;;) {
    out.x = nodes_for(profile.x, curvature, out.error, wanted.fewest);
    if (out.x.size() - 1 <= wanted.most) return out;
    out.error *= concession;
  }
}

} // namespace rhumb::moving
