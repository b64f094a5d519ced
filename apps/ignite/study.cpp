#include "study.hpp"

#include "cases.hpp"
#include "study_plan.hpp"
#include "trial.hpp"
#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/io/checkpoint.hpp>
#include <rhumb/run/command_line.hpp>
#include <rhumb/run/console.hpp>
#include <rhumb/run/loop.hpp>
#include <rhumb/run/summary.hpp>
#include <rhumb/version.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace rhumb::ignite_cases {

namespace {

using core::ExitCode;
using Clock = std::chrono::steady_clock;

/// The words without these options and their values.
std::vector<std::string> without_options(const std::vector<std::string>& words, const std::set<std::string>& names) {
  std::vector<std::string> kept;
  bool drops_value = false;
  for (const auto& word : words) {
    const bool drops = core::is_option(word) && names.contains(core::to_lower(word));
    if (!drops && (core::is_option(word) || !drops_value)) kept.push_back(word);
    drops_value = drops;
  }
  return kept;
}

class Study {
public:
  Study(StudyPlan plan, Clock::time_point started)
      : plan_(std::move(plan)), out_(plan_.settings.out), started_(started), search_(plan_.first_energy, plan_.width) {}

  /// From the first run to the summary. Collective.
  ExitCode conduct();

private:
  void claim_folder() const;
  run::Ending bisect();
  bool out_of_time() const { return plan_.settings.wall_limit > 0.0 && elapsed() >= plan_.settings.wall_limit; }
  ExitCode run_trial(double energy) const;
  run::Ending ending_of(ExitCode code, double energy) const;
  void judge(const Trial& trial, const char* remark);
  void write_table() const;
  void write_summary(const run::Ending& ending) const;
  dae::Figures results() const;
  double elapsed() const;
  io::Path folder_of(double energy) const { return out_ / fmt::format("energy_{}", energy); }
  void say(const std::string& text) const;

  StudyPlan plan_;
  io::Path out_;
  Clock::time_point started_;
  Bisection search_;
  std::vector<Trial> trials_;
};

ExitCode Study::conduct() {
  claim_folder();
  run::Ending ending;
  try {
    ending = bisect();
  } catch (...) { // the same on all ranks
    const auto code = core::exit_code_of_current_exception();
    ending = {code, run::reason_of(code), core::message_of_current_exception()};
  }
  if (!ending.message.empty() && core::rank_of(MPI_COMM_WORLD) == 0) run::complain(plan_.app, ending.message);
  write_summary(ending);
  return ending.code;
}

/// A folder belongs to one study: runs of another would be taken for its own.
void Study::claim_folder() const {
  const io::Path file = out_ / "study.txt";
  const std::string mine = identity_of(plan_);
  io::make_folder(MPI_COMM_WORLD, out_);
  const std::string known = text_of(file);
  if (known.empty()) return io::write_text(MPI_COMM_WORLD, file, mine);
  std::istringstream known_lines(known), my_lines(mine);
  std::string theirs, ours;
  while (theirs == ours) {
    const bool more = static_cast<bool>(std::getline(known_lines, theirs));
    const bool more_of_mine = static_cast<bool>(std::getline(my_lines, ours));
    if (!more && !more_of_mine) return;
    if (!more) theirs = "nothing";
    if (!more_of_mine) ours = "nothing";
  }
  throw core::BadInput(
      fmt::format("{} holds a study with other options ({}, not {}): take another -out", out_.string(), theirs, ours));
}

/// Seconds since the start, the same on all ranks.
double Study::elapsed() const {
  double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  core::check_mpi(MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  return seconds;
}

run::Ending Study::bisect() {
  constexpr std::size_t most_runs = 60;
  while (!search_.finished() && trials_.size() < most_runs) {
    const double energy = search_.next();
    auto trial = read_trial(folder_of(energy), energy);
    const bool known = trial && trial->whole();
    if (!known) {
      if (out_of_time())
        return {ExitCode::stopped, "wall_limit", "stopped by -wall_limit; the same command continues the study"};
      if (const auto code = run_trial(energy); code != ExitCode::done) return ending_of(code, energy);
      trial = read_trial(folder_of(energy), energy);
    }
    if (!trial || trial->fate == "open")
      throw core::BadInput(fmt::format("the run with energy {:g} neither ignited nor died: a later -t_end, another "
                                       "-flame_level or -burnt_radius is needed",
                                       energy));
    judge(*trial, known ? "  (found)" : "");
  }
  if (!search_.finished()) throw core::SolverGaveUp("no bracket of the minimum ignition energy was found");
  say(fmt::format("minimum ignition energy between {:.6g} and {:.6g}, {} runs, table in {}\n", search_.low(),
                  search_.high(), trials_.size(), (out_ / "mie.csv").string()));
  return {};
}

ExitCode Study::run_trial(double energy) const {
  auto words = without_options(plan_.words, {"-energy", "-out", "-quiet", "-wall_limit"});
  const std::string folder = folder_of(energy).string();
  const auto more = [&](std::initializer_list<std::string> added) { words.insert(words.end(), added); };
  more({"-energy", fmt::format("{}", energy), "-out", folder, "-stop_at_fate", "-quiet"});
  const double limit = plan_.settings.wall_limit;
  constexpr double at_once = 1e-3; // 0 would be no limit
  if (limit > 0.0) more({"-wall_limit", fmt::format("{}", std::max(limit - elapsed(), at_once))});
  if (io::has_checkpoint(MPI_COMM_WORLD, folder)) more({"-restart", folder});
  return run_driver(words, make);
}

/// What a run that did not go well means for the study; the run itself has said why.
run::Ending Study::ending_of(ExitCode code, double energy) const {
  const auto trial = read_trial(folder_of(energy), energy);
  const bool stopped = code == ExitCode::stopped;
  return {code, stopped && trial ? trial->reason : run::reason_of(code),
          fmt::format("the run with energy {:g} {}", energy,
                      stopped ? "was stopped; the same command continues the study"
                              : fmt::format("failed with exit code {}", static_cast<int>(code)))};
}

void Study::judge(const Trial& trial, const char* remark) {
  trial.fate == "ignited" ? search_.ignited(trial.energy) : search_.died(trial.energy);
  trials_.push_back(trial);
  say(fmt::format("energy {:12.6g}  {:8}  {:8.1f} s{}\n", trial.energy, trial.fate, trial.wall_seconds, remark));
  write_table();
}

void Study::write_table() const {
  std::string table = "energy,fate,t,wall_seconds\n";
  for (const Trial& trial : trials_)
    table += fmt::format("{},{},{:.6g},{:.3f}\n", trial.energy, trial.fate, trial.t, trial.wall_seconds);
  io::write_text(MPI_COMM_WORLD, out_ / "mie.csv", table);
}

dae::Figures Study::results() const {
  std::vector<double> energies, ignited;
  for (const Trial& trial : trials_) {
    energies.push_back(trial.energy);
    ignited.push_back(trial.fate == "ignited" ? 1.0 : 0.0);
  }
  dae::Figures figures;
  if (search_.finished()) figures.emplace_back("mie", 0.5 * (search_.low() + search_.high()));
  figures.emplace_back("mie_low", search_.low());
  figures.emplace_back("mie_high", search_.high());
  figures.emplace_back("runs", static_cast<double>(trials_.size()));
  figures.emplace_back("energies", energies);
  figures.emplace_back("ignited", ignited);
  return figures;
}

/// run.json as of any run; counts are those of all runs together.
void Study::write_summary(const run::Ending& ending) const {
  run::Summary summary;
  summary.app = plan_.app;
  summary.version = rhumb::version;
  summary.problem = "study mie of " + plan_.problem;
  summary.ranks = core::size_of(MPI_COMM_WORLD);
  summary.ending = ending;
  summary.t_start = plan_.settings.t_start;
  summary.t_end = plan_.settings.t_end;
  for (const Trial& trial : trials_) {
    add(summary.statistics, trial.statistics);
    summary.t = trial.t;
    summary.unknowns = static_cast<PetscInt>(trial.unknowns);
    summary.error_test = trial.error_test;
  }
  summary.wall_seconds = elapsed();
  summary.memory = run::peak_memory(MPI_COMM_WORLD);
  summary.options = plan_.options;
  summary.petsc_options = plan_.petsc_options;
  summary.results = results();
  io::write_text(MPI_COMM_WORLD, out_ / "run.json", run::summary_json(summary));
}

void Study::say(const std::string& text) const {
  if (core::rank_of(MPI_COMM_WORLD) == 0 && !plan_.settings.quiet) run::say(text);
}

ExitCode study(int argc, char** argv) {
  const auto started = Clock::now();
  const PlanReading reading = read_plan(argc, argv);
  return reading.plan ? Study(*reading.plan, started).conduct() : reading.code;
}

} // namespace

bool wants_study(int argc, char** argv) {
  const auto asks = [](const char* word, const char* next) {
    return std::string(word) == "-study" && std::string(next) == "mie";
  };
  return std::adjacent_find(argv, argv + argc, asks) != argv + argc;
}

int run_study(int argc, char** argv) {
  core::check_mpi(MPI_Init(&argc, &argv)); // here, so that MPI outlives the runs
  ExitCode code = ExitCode::done;
  try {
    code = study(argc, argv);
  } catch (...) { // the same on all ranks, but for bugs
    code = core::exit_code_of_current_exception();
    const bool first = core::rank_of(MPI_COMM_WORLD) == 0;
    if (first || code == ExitCode::bug) run::complain("rhumb-ignite", core::message_of_current_exception());
    if (code == ExitCode::bug) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  }
  core::check_mpi(MPI_Finalize());
  return static_cast<int>(code);
}

} // namespace rhumb::ignite_cases
