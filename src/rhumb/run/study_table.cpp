#include <rhumb/run/study_table.hpp>

#include <rhumb/io/hdf5.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::run {

namespace {
constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// In the order in which they first appear: a run that failed has none.
std::vector<std::string> figure_names(const StudyTable& table) {
  std::vector<std::string> names;
  for (const auto& line : table.lines)
    for (const auto& figure : line.row.results)
      if (std::ranges::find(names, figure.first) == names.end()) names.push_back(figure.first);
  return names;
}

const dae::Figure* find(const dae::Figures& figures, const std::string& name) {
  const auto found = std::ranges::find(figures, name, &dae::Figures::value_type::first);
  return found == figures.end() ? nullptr : &found->second;
}

bool is_list(const StudyTable& table, const std::string& name) {
  return std::ranges::any_of(table.lines, [&](const StudyTable::Line& line) {
    const auto* figure = find(line.row.results, name);
    return figure && std::holds_alternative<std::vector<double>>(*figure);
  });
}

/// RFC 4180; a line stays a line.
std::string cell(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string cell(const dae::Figure* figure) {
  if (!figure) return "";
  if (const auto* number = std::get_if<double>(figure)) return std::isnan(*number) ? "" : fmt::format("{}", *number);
  const auto* string_value = std::get_if<std::string>(figure);
  return string_value ? cell(*string_value) : "";
}

using Column = std::vector<std::vector<double>>; ///< numbers of each run

/// The datasets of a file: HDF5 reserves their bytes, which are filled in when it is closed.
class Datasets {
public:
  explicit Datasets(const io::Path& file) : name_(io::temporary_path(file)), file_(io::Hdf5File::create(name_)) {}

  bool has(const std::string& path) const { return file_.has(path); }
  void add(const std::string& path, const Column& column) {
    std::size_t width = 1;
    bool numeric = false;
    for (const auto& entry : column) {
      width = std::max(width, entry.size());
      numeric = numeric || !std::ranges::all_of(entry, [](double value) { return std::isnan(value); });
    }
    if (!numeric) return; // words
    std::vector<double> all;
    for (const auto& entry : column)
      for (std::size_t i = 0; i < width; ++i) all.push_back(i < entry.size() ? entry[i] : none);
    grid::Dims dims{column.size()};
    if (width > 1) dims.push_back(width);
    parts_.emplace_back(file_.make_dataset(path, dims, io::NumberType::real, {}), std::move(all));
  }
  void make_group(const std::string& path) { file_.make_group(path); }
  void close() {
    file_.close();
    io::Descriptor bytes(name_, io::Descriptor::Mode::write);
    for (const auto& [start, values] : parts_) bytes.write_at(start, std::as_bytes(std::span(values)));
    bytes.sync();
    bytes.close();
  }

private:
  io::Path name_;
  io::Hdf5File file_;
  std::vector<std::pair<std::uint64_t, std::vector<double>>> parts_; ///< where they start, and what they hold
};

std::vector<double> values_of(const dae::Figure* figure) {
  if (!figure) return {none};
  if (const auto* number = std::get_if<double>(figure)) return {*number};
  if (const auto* list = std::get_if<std::vector<double>>(figure)) return *list;
  return {none};
}

/// Of a parameter: 64, or 64,64.
std::vector<double> values_of(const std::string& value) {
  std::vector<double> out;
  for (const auto& part : core::split_at_commas(value)) out.push_back(core::parse_real(part).value_or(none));
  return out;
}

std::string path_in(const char* group, std::string name) {
  std::ranges::replace(name, '/', '_');
  return fmt::format("{}/{}", group, name);
}
} // namespace

std::string csv_of(const StudyTable& table) {
  std::vector<std::string> names;
  for (const auto& name : figure_names(table))
    if (!is_list(table, name)) names.push_back(name);
  std::string text;
  for (const auto& name : table.parameters) text += cell(name) + ",";
  text += "reason,t,steps,unknowns,wall_seconds,";
  if (table.is_search) text += "holds,";
  for (const auto& name : names) text += cell(name) + ",";
  text += "message\n";
  for (const auto& [values, row, holds] : table.lines) {
    for (const auto& value : values) text += cell(value) + ",";
    text += fmt::format("{},{},{},{},{:.3f},", row.ending.reason, row.t, row.statistics.steps, row.unknowns,
                        row.wall_seconds);
    if (table.is_search) text += holds ? (*holds ? "yes," : "no,") : ",";
    for (const auto& name : names) text += cell(find(row.results, name)) + ",";
    text += cell(row.ending.message) + "\n";
  }
  return text;
}

void write_hdf5(const StudyTable& table, const io::Path& file) {
  Datasets out(file);
  out.make_group("parameters");
  out.make_group("results");
  const auto column = [&](const std::string& path, auto&& numbers) {
    Column values;
    for (const auto& line : table.lines) values.push_back(numbers(line));
    out.add(path, values);
  };
  using Line = StudyTable::Line;
  for (std::size_t i = 0; i < table.parameters.size(); ++i)
    column(path_in("parameters", table.parameters[i]), [&](const Line& line) { return values_of(line.values[i]); });
  column("results/exit_code",
         [](const Line& line) { return std::vector<double>{static_cast<double>(line.row.ending.code)}; });
  column("results/t", [](const Line& line) { return std::vector<double>{line.row.t}; });
  column("results/steps",
         [](const Line& line) { return std::vector<double>{static_cast<double>(line.row.statistics.steps)}; });
  column("results/unknowns",
         [](const Line& line) { return std::vector<double>{static_cast<double>(line.row.unknowns)}; });
  column("results/wall_seconds", [](const Line& line) { return std::vector<double>{line.row.wall_seconds}; });
  if (table.is_search)
    column("results/holds",
           [](const Line& line) { return std::vector<double>{line.holds ? (*line.holds ? 1.0 : 0.0) : none}; });
  for (const auto& name : figure_names(table))
    if (const std::string path = path_in("results", name); !out.has(path))
      column(path, [&](const Line& line) { return values_of(find(line.row.results, name)); });
  out.close();
  io::put_in_place(file);
}

} // namespace rhumb::run
