#include <rhumb/run/fit_data.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <sstream>

namespace rhumb::run {

namespace {
constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();
const std::string error_suffix = "_error";

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\"");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\"") - first + 1);
}

/// Unlike core::split_at_commas it keeps empty cells.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line)
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  for (auto& cell : cells) cell = trimmed(cell);
  return cells;
}

/// Where the errors of a column stand; the column itself where it has none.
std::size_t errors_of(const std::vector<std::string>& header, std::size_t column) {
  const auto found = std::ranges::find(header, header[column] + error_suffix);
  return found == header.end() ? column : static_cast<std::size_t>(found - header.begin());
}

bool is_error_column(const std::vector<std::string>& header, std::size_t column) {
  const std::string& name = header[column];
  return name.ends_with(error_suffix) &&
         std::ranges::find(header, name.substr(0, name.size() - error_suffix.size())) != header.end();
}

void check_header(const std::vector<std::string>& header, const std::string& file) {
  if (header.size() < 2 || header.front() != "t")
    throw core::BadInput(fmt::format("{}: the first line names the columns: t, and time series of the problem", file));
  for (auto name = header.begin(); name != header.end(); ++name)
    if (name->empty() || std::find(std::next(name), header.end(), *name) != header.end())
      throw core::BadInput(fmt::format("{}: the column '{}' has no name, or another has the same", file, *name));
}

/// The rows below the header, with the numbers of their lines.
struct Rows {
  std::vector<std::string> header;
  std::vector<std::vector<double>> values;
};

Rows read_rows(const std::string& text, const std::string& file) {
  Rows out;
  std::istringstream lines(text);
  std::string line;
  for (long number = 1; std::getline(lines, line); ++number) {
    if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
    const auto cells = cells_of(line);
    if (out.header.empty()) {
      check_header(out.header = cells, file);
      continue;
    }
    if (cells.size() != out.header.size())
      throw core::BadInput(
          fmt::format("{}:{}: {} columns, expected {}", file, number, cells.size(), out.header.size()));
    auto& row = out.values.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool empty = cells[i].empty() || core::to_lower(cells[i]) == "nan";
      const auto value = empty ? std::optional(not_measured) : core::parse_real(cells[i]);
      if (!value || std::isinf(*value) || (empty && i == 0))
        throw core::BadInput(
            fmt::format("{}:{}: '{}' in the column {} is no number", file, number, cells[i], out.header[i]));
      row.push_back(*value);
    }
    if (out.values.size() > 1 && !(row.front() > out.values[out.values.size() - 2].front()))
      throw core::BadInput(fmt::format("{}:{}: times ascend", file, number));
  }
  if (out.values.empty()) throw core::BadInput(fmt::format("{}: there are no measurements", file));
  return out;
}
} // namespace

bool FitData::has_errors() const {
  return std::ranges::none_of(series, [](const Series& one) { return one.errors.empty(); });
}

std::size_t FitData::measurements() const {
  std::size_t count = 0;
  for (const auto& one : series)
    count += static_cast<std::size_t>(std::ranges::count_if(one.values, [](double v) { return !std::isnan(v); }));
  return count;
}

FitData FitData::parse(const std::string& text, const std::string& file) {
  const Rows rows = read_rows(text, file);
  FitData out;
  for (const auto& row : rows.values) out.times.push_back(row.front());
  for (std::size_t column = 1; column < rows.header.size(); ++column) {
    if (is_error_column(rows.header, column)) continue;
    Series one{rows.header[column], {}, {}};
    const std::size_t errors = errors_of(rows.header, column);
    for (const auto& row : rows.values) {
      one.values.push_back(row[column]);
      if (errors == column) continue;
      if (!std::isnan(row[column]) && !(row[errors] > 0.0))
        throw core::BadInput(fmt::format("{}: t = {:g}: the standard error of {} must be > 0", file, row[0], one.name));
      one.errors.push_back(row[errors]);
    }
    out.series.push_back(std::move(one));
  }
  const bool any = std::ranges::any_of(out.series, [](const Series& one) { return !one.errors.empty(); });
  if (any && !out.has_errors())
    throw core::BadInput(fmt::format("{}: either all series have standard errors (NAME_error) or none", file));
  return out;
}

std::vector<FitParameter> FitParameter::parse(const std::string& text) {
  constexpr double unbounded = std::numeric_limits<double>::infinity();
  std::vector<FitParameter> out;
  std::string list = text; // as in a study, ';' may stand between them
  std::ranges::replace(list, ';', ',');
  for (const auto& part : core::split_at_commas(list)) {
    const auto equals = part.find('='), colon = part.find(':');
    FitParameter one{trimmed(part.substr(0, equals)), -unbounded, unbounded};
    if (equals != std::string::npos) {
      const auto low = core::parse_real(trimmed(part.substr(equals + 1, colon - equals - 1)));
      const auto high = colon == std::string::npos ? low : core::parse_real(trimmed(part.substr(colon + 1)));
      if (colon == std::string::npos || !low || !high || !(*low < *high))
        throw core::BadInput(fmt::format("option -vary {}: a fit varies NAME or NAME=LOW:HIGH", part));
      one.lower = *low;
      one.upper = *high;
    }
    if (one.name.empty() || std::ranges::find(out, one.name, &FitParameter::name) != out.end())
      throw core::BadInput(fmt::format("option -vary {}: names of parameters, each once", text));
    out.push_back(std::move(one));
  }
  if (out.empty()) throw core::BadInput("option -fit: -vary names the parameters to be found");
  return out;
}

} // namespace rhumb::run
