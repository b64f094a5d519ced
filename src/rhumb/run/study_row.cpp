#include <rhumb/run/study_row.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/io/seal.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace rhumb::run {

namespace {
constexpr const char* row_name = "row.txt";
constexpr const char* heading = "rhumb study row 1";

using Counts = bdf::Statistics;

constexpr std::array all_counts{&Counts::steps,
                                &Counts::residual_evals,
                                &Counts::residual_evals_krylov,
                                &Counts::residual_evals_jacobian,
                                &Counts::jacobian_evals,
                                &Counts::pc_setups,
                                &Counts::newton_iterations,
                                &Counts::linear_iterations,
                                &Counts::filter_solves,
                                &Counts::filter_iterations,
                                &Counts::start_iterations,
                                &Counts::error_test_failures,
                                &Counts::convergence_failures,
                                &Counts::constraint_failures,
                                &Counts::restarts,
                                &Counts::kind_check_residuals,
                                &Counts::kind_check_matrices,
                                &Counts::reductions};

/// A line has three parts between tabs: kind, name, value.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\\' ? "\\\\" : std::string(1, c);
  return out;
}

std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    const char c = text[escape ? ++i : i];
    out += escape && c == 'n' ? '\n' : escape && c == 't' ? '\t' : c;
  }
  return out;
}

std::string values_text(const std::vector<double>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

std::optional<std::vector<double>> values_of(const std::string& text) {
  std::vector<double> out;
  for (const auto& entry : core::split_at_commas(text)) {
    const bool none = entry == "nan" || entry == "-nan";
    const auto value = none ? std::optional(std::nan("")) : core::parse_real(entry);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

std::vector<double> values_of(const StudyRow& row) {
  std::vector<double> out{static_cast<double>(row.ending.code),
                          row.t,
                          row.t_start,
                          row.t_end,
                          row.wall_seconds,
                          static_cast<double>(row.unknowns),
                          row.statistics.h_min,
                          row.statistics.h_max};
  for (const auto count : all_counts) out.push_back(static_cast<double>(row.statistics.*count));
  for (const long steps : row.statistics.order_histogram) out.push_back(static_cast<double>(steps));
  return out;
}

bool set_values(StudyRow& row, const std::vector<double>& values) {
  constexpr std::size_t before_counts = 8;
  if (values.size() != before_counts + all_counts.size() + row.statistics.order_histogram.size()) return false;
  row.ending.code = static_cast<core::ExitCode>(static_cast<int>(values[0]));
  row.t = values[1];
  row.t_start = values[2];
  row.t_end = values[3];
  row.wall_seconds = values[4];
  row.unknowns = static_cast<long>(values[5]);
  row.statistics.h_min = values[6];
  row.statistics.h_max = values[7];
  auto next = values.begin() + before_counts;
  for (const auto count : all_counts) row.statistics.*count = static_cast<long>(*next++);
  for (long& steps : row.statistics.order_histogram) steps = static_cast<long>(*next++);
  return true;
}

std::string text_of(const io::Path& file) {
  std::string text;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return text;
  io::Descriptor descriptor(file, io::Descriptor::Mode::read);
  text.resize(descriptor.size());
  descriptor.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

/// Of the run.json that the run wrote: a later run in the same folder writes another.
std::string summary_line(const io::Path& folder) {
  const std::string summary = text_of(folder / "run.json");
  return fmt::format("run.json {:016x}\n", io::checksum_part(0, std::as_bytes(std::span<const char>(summary))));
}
} // namespace

bool StudyRow::is_final() const {
  using core::ExitCode;
  return ending.code == ExitCode::done || ending.code == ExitCode::bad_input || ending.code == ExitCode::solver_gave_up;
}

dae::Figures StudyRow::figures() const {
  dae::Figures out{{"t", t}, {"steps", static_cast<double>(statistics.steps)}};
  out.insert(out.end(), results.begin(), results.end());
  return out;
}

StudyRow row_of(const Solution& solution) {
  const Summary& summary = solution.summary;
  return {summary.ending,       summary.t,
          summary.t_start,      summary.t_end,
          summary.wall_seconds, static_cast<long>(summary.unknowns),
          summary.error_test,   summary.statistics,
          summary.results};
}

std::string row_text(const StudyRow& row) {
  std::string text = fmt::format("{}\nnumbers\t\t{}\n", heading, values_text(values_of(row)));
  const auto add = [&](const char* kind, const std::string& name, const std::string& value) {
    text += fmt::format("{}\t{}\t{}\n", kind, escaped(name), escaped(value));
  };
  add("reason", "", row.ending.reason);
  add("message", "", row.ending.message);
  add("error_test", "", row.error_test);
  for (const auto& [name, figure] : row.results) {
    if (const auto* number = std::get_if<double>(&figure)) add("number", name, fmt::format("{}", *number));
    if (const auto* list = std::get_if<std::vector<double>>(&figure)) add("list", name, values_text(*list));
    if (const auto* entry = std::get_if<std::string>(&figure)) add("word", name, *entry);
  }
  return text;
}

std::optional<StudyRow> parse_row(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != heading) return std::nullopt;
  StudyRow row;
  bool has_values = false;
  while (std::getline(lines, line)) {
    const auto first = line.find('\t'), second = line.find('\t', first + 1);
    if (first == std::string::npos || second == std::string::npos) return std::nullopt;
    const std::string kind = line.substr(0, first), name = unescaped(line.substr(first + 1, second - first - 1));
    const std::string value = unescaped(line.substr(second + 1));
    const bool numeric = kind == "numbers" || kind == "number" || kind == "list";
    const auto values = numeric ? values_of(value) : std::vector<double>{};
    if (!values || (kind == "number" && values->size() != 1)) return std::nullopt;
    if (kind == "numbers" && !(has_values = set_values(row, *values))) return std::nullopt;
    if (kind == "reason") row.ending.reason = value;
    if (kind == "message") row.ending.message = value;
    if (kind == "error_test") row.error_test = value;
    if (kind == "number") row.results.emplace_back(name, values->front());
    if (kind == "list") row.results.emplace_back(name, *values);
    if (kind == "word") row.results.emplace_back(name, value);
  }
  return has_values ? std::optional(row) : std::nullopt;
}

std::optional<StudyRow> read_row(const io::Path& folder) {
  const std::string text = text_of(folder / row_name);
  const std::string last = summary_line(folder);
  if (!text.ends_with(last)) return std::nullopt;
  return parse_row(text.substr(0, text.size() - last.size()));
}

void write_row(MPI_Comm comm, const io::Path& folder, const StudyRow& row) {
  io::make_folder(comm, folder);
  std::string text = row_text(row);
  core::run_on_root(comm, [&] { text += summary_line(folder); });
  io::write_text(comm, folder / row_name, text);
}

void add(Counts& sum, const Counts& other) {
  if (other.steps > 0) sum.h_min = sum.steps == 0 ? other.h_min : std::min(sum.h_min, other.h_min);
  sum.h_max = std::max(sum.h_max, other.h_max);
  for (const auto count : all_counts) sum.*count += other.*count;
  for (std::size_t k = 0; k < sum.order_histogram.size(); ++k) sum.order_histogram[k] += other.order_histogram[k];
}

} // namespace rhumb::run
