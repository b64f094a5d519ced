#include <rhumb/physics/network/time_series.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/input_file.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace rhumb::network {

TimeSeries::TimeSeries(std::vector<double> times, std::vector<double> values)
    : times_(std::move(times)), values_(std::move(values)) {
  if (times_.empty() || times_.size() != values_.size())
    throw core::BadInput("a time series needs as many times as values, and at least one");
  for (const double time : times_)
    if (!std::isfinite(time)) throw core::BadInput(fmt::format("times of a series must be finite, not {:g}", time));
  for (std::size_t i = 1; i < times_.size(); ++i)
    if (times_[i] < times_[i - 1])
      throw core::BadInput(fmt::format("times of a series must ascend: {:g} follows {:g}", times_[i], times_[i - 1]));
}

TimeSeries::Line TimeSeries::at(double t, double since) const {
  const auto after = std::ranges::upper_bound(times_, since);
  if (after == times_.begin()) return {values_.front(), 0.0};
  if (after == times_.end()) return {values_.back(), 0.0};
  const auto i = static_cast<std::size_t>(after - times_.begin());
  const double rate = (values_[i] - values_[i - 1]) / (times_[i] - times_[i - 1]);
  return {values_[i - 1] + rate * (t - times_[i - 1]), rate};
}

bool TimeSeries::jumps() const {
  for (std::size_t i = 1; i < times_.size(); ++i)
    if (times_[i] == times_[i - 1] && values_[i] != values_[i - 1]) return true;
  return false;
}

namespace {
/// The column of that name in the first line.
std::size_t find_column(const std::vector<std::string>& names, const std::string& column, const std::string& file) {
  if (names.size() < 2) throw core::BadInput(fmt::format("{}:1: two columns at least are needed, time first", file));
  if (column.empty()) return 1;
  const auto found = std::ranges::find(names, column);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto near = core::nearest(column, names);
  throw core::BadInput(
      fmt::format("{}: no column '{}'{}", file, column, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}
} // namespace

TimeSeries read_csv(const std::string& file, const std::string& column) {
  std::istringstream text(core::read_input_file(file, core::max_text_size, "a table"));
  std::string line;
  if (!std::getline(text, line)) throw core::BadInput(fmt::format("{}: the file is empty", file));
  if (!line.empty() && line.back() == '\r') line.pop_back();
  const std::size_t wanted = find_column(core::split_at_commas(line), column, file);
  std::vector<double> times, values;
  for (int number = 2; std::getline(text, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const auto cells = core::split_at_commas(line);
    const auto time = core::parse_real(cells.front());
    if (wanted >= cells.size()) throw core::BadInput(fmt::format("{}:{}: a value is missing", file, number));
    const auto value = core::parse_real(cells[wanted]);
    if (!time || !value) throw core::BadInput(fmt::format("{}:{}: time and value must be numbers", file, number));
    if (!times.empty() && *time < times.back())
      throw core::BadInput(fmt::format("{}:{}: times must ascend", file, number));
    times.push_back(*time);
    values.push_back(*value);
  }
  if (times.empty()) throw core::BadInput(fmt::format("{}: no values", file));
  return {std::move(times), std::move(values)};
}

} // namespace rhumb::network
