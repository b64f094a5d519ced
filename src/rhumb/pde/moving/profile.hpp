#pragma once
/// A solution on a line as plain numbers, and what is asked of it: values between nodes, fronts, extremes. All ranks
/// hold all of it: lines are short.

#include <optional>
#include <span>
#include <vector>

namespace rhumb::moving {

struct Profile {
  std::vector<double> x;              ///< ascending
  std::vector<std::vector<double>> u; ///< per component, at x

  /// Component k at `place`: cubic Hermite with slopes limited so that it is monotone wherever the data are (Fritsch
  /// and Carlson 1980, with Brodlie's harmonic mean). Places outside take the end's value.
  double value(std::size_t k, double position) const;

  /// The same curve's values on other places.
  Profile on(const std::vector<double>& positions) const;

  /// The last place where component k crosses `level`, on the same curve; none when it does not.
  std::optional<double> front(std::size_t k, double level) const;

private:
  double derivative(std::size_t k, std::size_t i) const;
  std::size_t cell_of(double position) const;
  double in_cell(std::size_t k, std::size_t cell, double part) const;
};

/// The places x_0 < ... < x_cells with x_0 = places.front(), x_cells = places.back() for which the integral of the
/// density, constant in each cell of `places`, is the same over all cells (de Boor).
std::vector<double> equal_shares(std::span<const double> positions, std::span<const double> density, std::size_t cells);

} // namespace rhumb::moving
