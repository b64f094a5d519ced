#pragma once
/// Velocities on a side from a file: CSV, the first line with names. Columns among x, y, z, t say where and when, columns
/// u, v, w what; the rows, in any order, are a full grid of the distinct values of each coordinate. Linear in space and
/// constant beyond the outermost points; in time smooth through the points (grid::GivenValues::add_series).

#include <rhumb/physics/flow/staggered.hpp>
#include <memory>
#include <string>

namespace rhumb::flow {

class SideTable {
public:
  /// `option` is for messages. Throws core::BadInput.
  SideTable(std::string option, std::string file, int dimension);

  bool has(int component) const { return !values_[component].empty(); }
  const std::shared_ptr<const std::vector<double>>& times() const { return times_; }
  /// The component at x, at each of `times`.
  std::vector<double> series(int component, const Position& x) const;

private:
  using Row = std::array<double, 7>; ///< x, y, z, t, u, v, w
  std::vector<std::size_t> read_names(const std::string& line, int dimension);
  std::vector<Row> read(int dimension);
  void find_axes(const std::vector<Row>& rows);
  void fill(const std::vector<Row>& rows);

  std::string option_, file_;
  std::array<bool, 7> has_{};               ///< columns
  std::array<std::vector<double>, 4> axes_; ///< x, y, z, t: distinct values, ascending; one 0 where there is no column
  std::array<std::vector<double>, 3> values_; ///< by component: t fastest, then x, y, z; empty: no column
  std::shared_ptr<const std::vector<double>> times_;
};

} // namespace rhumb::flow
