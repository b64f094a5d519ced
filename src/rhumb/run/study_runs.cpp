/// The runs of a study: who makes which, how each is made, and what is left of them.

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/io/checkpoint.hpp>
#include <rhumb/run/console.hpp>
#include <rhumb/run/integrate.hpp>
#include <rhumb/run/loop.hpp>
#include <rhumb/run/signals.hpp>
#include <rhumb/run/study.hpp>
#include <rhumb/version.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace rhumb::run {

using core::ExitCode;
using Clock = Settings::Clock;

Study::Stop Study::run_all(const std::vector<Values>& runs) {
  std::string known(runs.size(), ' ');
  core::run_on_root(comm_, [&] {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto row = read_row(folder_of(runs[i]));
      if (!row || !row->is_final()) continue;
      known[i] = 'x';
      print(line_of(runs[i], *row) + "  (found)\n");
    }
  });
  known = core::broadcast(comm_, known);
  Stop stop = Stop::no;
  std::exception_ptr failure;
  try {
    stop = run_share(runs, known);
  } catch (...) { // the other groups go on
    failure = std::current_exception();
  }
  core::agree(comm_, failure);
  int reason = static_cast<int>(stop);
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &reason, 1, MPI_INT, MPI_MAX, comm_));
  StudyTable read;
  core::run_on_root(comm_, [&] { read_lines(read, runs); });
  for (const auto& values : runs) { // all ranks decide on the same
    const auto line = std::ranges::find(read.lines, values, &StudyTable::Line::values);
    const std::string text = core::broadcast(comm_, line == read.lines.end() ? "" : row_text(line->row));
    if (auto row = parse_row(text)) table_.lines.push_back({values, std::move(*row), {}});
  }
  core::run_on_root(comm_, [&] { write_table(table_); });
  return static_cast<Stop>(reason);
}

Study::Stop Study::run_share(const std::vector<Values>& runs, const std::string& known) {
  std::size_t dealt = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (known[i] == 'x') continue;
    // Turn about, and each round begins one further: else a group would have all runs of the finest grid.
    const std::size_t turn = dealt++;
    if ((turn + turn / groups_) % groups_ != group_index_) continue;
    if (const Stop stop = stop_wanted(); stop != Stop::no) return stop;
    const StudyRow row = run_one(runs[i]);
    const bool speaks = group_agreement_->rank() == 0;
    if (row.ending.code == ExitCode::stopped) return row.ending.reason == "signal" ? Stop::signal : Stop::wall_limit;
    write_row(group_, folder_of(runs[i]), row);
    if (speaks && !settings_.quiet) run::print(line_of(runs[i], row) + "\n");
    if (speaks && row.failed())
      print_error(caller_.app, fmt::format("the run with {} failed: {}", text_of(runs[i]), row.ending.message));
    if (group_index_ == 0 && !table_.is_search)
      core::run_on_root(group_, [&] {
        StudyTable so_far = table_;
        read_lines(so_far, runs);
        write_table(so_far);
      });
  }
  return Stop::no;
}

StudyRow Study::run_one(const Values& values) {
  Caller caller = caller_;
  caller.started = Clock::now();
  StudyRow row;
  try {
    const core::Options options = options_for(values);
    Prepared prepared;
    group_agreement_->phase([&] { prepared = prepare(group_, make_, options, caller); });
    row = row_of(integrate(*prepared.problem, prepared.settings));
  } catch (const Ended& ended) {
    row.ending = {ended.code(), reason_of(ended.code()), ended.what()};
  }
  row.wall_seconds = std::chrono::duration<double>(Clock::now() - caller.started).count();
  return row;
}

core::Options Study::options_for(const Values& values) const {
  const std::string folder = folder_of(values).string();
  core::Options options = options_of_run(given_, plan_, values).with("out", folder).with("quiet", true);
  if (settings_.wall_limit > 0.0) {
    constexpr double at_once = 1e-3; // 0 would be no limit
    double left = std::max(settings_.wall_limit - elapsed(), at_once);
    core::check_mpi(MPI_Bcast(&left, 1, MPI_DOUBLE, 0, group_));
    options.set("wall_limit", fmt::format("{}", left));
  }
  if (io::has_checkpoint(group_, folder)) options.set("restart", folder);
  return options;
}

Study::Stop Study::stop_wanted() const {
  const bool late = settings_.wall_limit > 0.0 && elapsed() >= settings_.wall_limit;
  int stop = static_cast<int>(Signals::received() != 0 ? Stop::signal : late ? Stop::wall_limit : Stop::no);
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &stop, 1, MPI_INT, MPI_MAX, group_));
  return static_cast<Stop>(stop);
}

Ending Study::stopped(Stop stop) const {
  const bool by_signal = stop == Stop::signal;
  return {ExitCode::stopped, by_signal ? "signal" : "wall_limit",
          fmt::format("stopped by {}; the same command continues the study", by_signal ? "a signal" : "-wall_limit")};
}

double Study::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - caller_.started).count();
}

void Study::read_lines(StudyTable& table, const std::vector<Values>& runs) const {
  for (const auto& values : runs)
    if (auto row = read_row(folder_of(values))) table.lines.push_back({values, std::move(*row), {}});
}

void Study::write_table(const StudyTable& table) const {
  const io::Path file = out_ / "study.csv";
  io::draft_text(file, csv_of(table));
  io::put_in_place(file);
  write_hdf5(table, out_ / "study.h5");
}

dae::Figures Study::results() const {
  dae::Figures figures;
  const auto count = static_cast<double>(table_.lines.size());
  if (!table_.is_search) {
    const auto failures = std::ranges::count_if(table_.lines, [](const auto& line) { return line.row.failed(); });
    return {{"runs", count}, {"failed", static_cast<double>(failures)}};
  }
  std::vector<double> tried, held;
  for (const auto& line : table_.lines) {
    if (!line.holds) continue;
    tried.push_back(core::parse_real(line.values.front()).value_or(0.0));
    held.push_back(*line.holds ? 1.0 : 0.0);
  }
  if (const auto bracket = search_->bracket()) {
    const auto [low, high] = *bracket;
    if (search_->finished()) figures.emplace_back(plan_.names.found, 0.5 * (low + high));
    figures.emplace_back(plan_.names.found + "_low", low);
    figures.emplace_back(plan_.names.found + "_high", high);
  }
  figures.emplace_back("runs", static_cast<double>(tried.size()));
  figures.emplace_back(plan_.names.tried, tried);
  figures.emplace_back(plan_.names.held, held);
  return figures;
}

/// run.json as of any run; counts are those of all runs together.
void Study::write_summary(const Ending& ending) const {
  Summary summary;
  summary.app = caller_.app;
  summary.version = rhumb::version;
  summary.problem = fmt::format("study {} of {}", plan_.name, problem_);
  summary.ranks = agreement_.size();
  summary.ending = ending;
  summary.t_start = settings_.t_start;
  summary.t_end = settings_.t_end;
  for (const auto& line : table_.lines) {
    add(summary.statistics, line.row.statistics);
    summary.t = line.row.t;
    summary.unknowns = static_cast<PetscInt>(line.row.unknowns);
    summary.error_test = line.row.error_test;
  }
  summary.wall_seconds = elapsed();
  summary.memory = peak_memory(comm_);
  summary.options = effective_.declared();
  for (const auto& option : effective_.undeclared()) summary.petsc_options.emplace_back(option.name, option.value);
  summary.results = results();
  io::write_text(comm_, out_ / "run.json", summary_json(summary));
}

std::string Study::text_of(const Values& values) const {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = core::parse_real(values[i]);
    text += fmt::format("{}{} {}", i ? ", " : "", plan_.variations[i].name,
                        number ? fmt::format("{:g}", *number) : values[i]);
  }
  return text;
}

std::string Study::line_of(const Values& values, const StudyRow& row) const {
  std::string outcome = row.ending.reason;
  if (table_.is_search && !row.failed()) {
    const auto figures = row.figures();
    const auto figure = std::ranges::find(figures, plan_.until->name, &dae::Figures::value_type::first);
    if (figure != figures.end()) {
      if (const auto* number = std::get_if<double>(&figure->second)) outcome = fmt::format("{:.6g}", *number);
      if (const auto* string_value = std::get_if<std::string>(&figure->second)) outcome = *string_value;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = core::parse_real(values[i]);
    text += fmt::format("{} {:>12}  ", plan_.variations[i].name, number ? fmt::format("{:.6g}", *number) : values[i]);
  }
  return text + fmt::format("{:8}  {:8.1f} s", outcome, row.wall_seconds);
}

void Study::print(const std::string& text) const {
  if (agreement_.rank() == 0 && !settings_.quiet) run::print(text);
}

} // namespace rhumb::run
