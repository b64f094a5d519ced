#include <rhumb/physics/flow/side_table.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/input_file.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace rhumb::flow {

using core::BadInput;

namespace {
constexpr std::size_t time_axis = 3, first_component = 4;

/// Where a value lies among ascending ones: the index below, and the share of the next.
struct Bracket {
  std::size_t below = 0, above = 0;
  double share = 0.0;
};
Bracket bracket(const std::vector<double>& axis, double x) {
  if (x <= axis.front()) return {};
  if (x >= axis.back()) return {axis.size() - 1, axis.size() - 1, 0.0};
  const auto above = static_cast<std::size_t>(std::upper_bound(axis.begin(), axis.end(), x) - axis.begin());
  return {above - 1, above, (x - axis[above - 1]) / (axis[above] - axis[above - 1])};
}
} // namespace

SideTable::SideTable(std::string option, std::string file, int dimension)
    : option_(std::move(option)), file_(std::move(file)) {
  const std::vector<Row> rows = read(dimension);
  find_axes(rows);
  fill(rows);
  times_ = std::make_shared<const std::vector<double>>(axes_[time_axis]);
}

/// What each column holds: 0 to 3 are x, y, z, t; 4 to 6 are u, v, w.
std::vector<std::size_t> SideTable::read_names(const std::string& line, int dimension) {
  const std::string places = dimension == 2 ? "xyt" : "xyzt", components = dimension == 2 ? "uv" : "uvw";
  std::vector<std::size_t> columns;
  for (const auto& name : core::split_at_commas(line)) {
    const bool known = name.size() == 1 && (places + components).find(name) != std::string::npos;
    if (!known)
      throw BadInput(fmt::format("-{}: {}:1: a column is called '{}'; there are {} and {}", option_, file_, name,
                                 places, components));
    columns.push_back(std::string("xyztuvw").find(name));
    if (std::count(columns.begin(), columns.end(), columns.back()) > 1)
      throw BadInput(fmt::format("-{}: {}:1: two columns are called '{}'", option_, file_, name));
    has_[columns.back()] = true;
  }
  if (std::none_of(has_.begin() + first_component, has_.end(), [](bool has) { return has; }))
    throw BadInput(fmt::format("-{}: {}:1: no column with a velocity ({})", option_, file_, components));
  return columns;
}

std::vector<SideTable::Row> SideTable::read(int dimension) {
  std::istringstream lines(core::read_input_file(file_, core::max_text_size, "a table of velocities"));
  std::string line;
  std::getline(lines, line);
  const auto columns = read_names(line, dimension);
  std::vector<Row> rows;
  for (long number = 2; std::getline(lines, line); ++number) {
    const auto cells = core::split_at_commas(line);
    if (cells.empty()) continue;
    if (cells.size() != columns.size())
      throw BadInput(
          fmt::format("-{}: {}:{}: {} values in {} columns", option_, file_, number, cells.size(), columns.size()));
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto value = core::parse_real(cells[i]);
      if (!value || !std::isfinite(*value))
        throw BadInput(fmt::format("-{}: {}:{}: '{}' is no number", option_, file_, number, cells[i]));
      row[columns[i]] = *value;
    }
  }
  if (rows.empty()) throw BadInput(fmt::format("-{}: {}: no rows", option_, file_));
  return rows;
}

void SideTable::find_axes(const std::vector<Row>& rows) {
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    for (const Row& row : rows) axes_[a].push_back(row[a]);
    std::sort(axes_[a].begin(), axes_[a].end());
    axes_[a].erase(std::unique(axes_[a].begin(), axes_[a].end()), axes_[a].end());
  }
}

void SideTable::fill(const std::vector<Row>& rows) {
  double size = 1.0; // of the full grid; far more than fits into memory where the rows are none
  for (const auto& axis : axes_) size *= static_cast<double>(axis.size());
  const auto reject = [&] {
    throw BadInput(fmt::format(
        "-{}: {}: the rows are no full grid: {} x {} x {} positions and {} times make {:g} rows, but there are {}",
        option_, file_, axes_[0].size(), axes_[1].size(), axes_[2].size(), axes_[3].size(), size, rows.size()));
  };
  if (size != static_cast<double>(rows.size())) reject();
  std::vector<char> seen(rows.size(), 0);
  for (std::size_t c = 0; c < values_.size(); ++c)
    if (has_[first_component + c]) values_[c].resize(rows.size());
  for (const Row& row : rows) {
    std::size_t index = 0;
    for (const std::size_t a : {2U, 1U, 0U, 3U}) index = index * axes_[a].size() + bracket(axes_[a], row[a]).below;
    seen[index] = 1;
    for (std::size_t c = 0; c < values_.size(); ++c)
      if (has_[first_component + c]) values_[c][index] = row[first_component + c];
  }
  if (std::find(seen.begin(), seen.end(), 0) != seen.end()) reject();
}

std::vector<double> SideTable::series(int component, const Position& x) const {
  std::array<Bracket, 3> at;
  for (std::size_t d = 0; d < 3; ++d) at[d] = bracket(axes_[d], has_[d] ? x[d] : 0.0);
  const std::size_t times = axes_[time_axis].size();
  std::vector<double> out(times, 0.0);
  for (unsigned corner = 0; corner < 8; ++corner) {
    double weight = 1.0;
    std::size_t index = 0;
    for (const std::size_t d : {2U, 1U, 0U}) {
      const bool upper = (corner >> d & 1U) != 0;
      weight *= upper ? at[d].share : 1.0 - at[d].share;
      index = index * axes_[d].size() + (upper ? at[d].above : at[d].below);
    }
    if (weight == 0.0) continue;
    for (std::size_t k = 0; k < times; ++k) out[k] += weight * values_[component][index * times + k];
  }
  return out;
}

} // namespace rhumb::flow
