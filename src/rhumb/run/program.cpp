#include <rhumb/run/program.hpp>

#include <rhumb/run/console.hpp>
#include <rhumb/run/error_bars.hpp>
#include <rhumb/run/fit.hpp>
#include <rhumb/run/help_cases.hpp>
#include <rhumb/run/signals.hpp>
#include <rhumb/run/study.hpp>
#include <fmt/format.h>

namespace rhumb::run {

Program::Program(MPI_Comm comm, CommandLine& line, const Make& make, Caller caller)
    : comm_(comm), line_(line), make_(make), caller_(std::move(caller)), agreement_(comm, line.app()) {}

core::ExitCode Program::execute() {
  try {
    agreement_.phase([&] { load_options(comm_, line_, given_); });
    options_ = given_;
    for (const auto& remark : line_.repeated_options()) print_error(remark);
    if (only_help()) return core::ExitCode::done;
    bool wants_study = false;
    agreement_.phase([&] { wants_study = is_study(given_); });
    if (wants_study) return Study(comm_, agreement_, make_, given_, caller_).conduct();
    bool wants_fit = false;
    agreement_.phase([&] { wants_fit = is_fit(given_); });
    if (wants_fit) find_parameters();
    agreement_.phase([&] { build(); });
    return run_.only_check ? check() : integrate();
  } catch (const Ended& ended) {
    const bool named = std::string_view(ended.what()).find(line_.case_file()) != std::string_view::npos;
    const bool of_case = ended.code() == core::ExitCode::bad_input && !line_.case_file().empty() && !named;
    print_error(of_case ? fmt::format("{} (with the case file {})", ended.what(), line_.case_file()) : ended.what());
    return ended.code();
  }
}

/// The run that follows is one with the parameters found.
void Program::find_parameters() {
  const Signals signals;
  Fit fit(comm_, agreement_, make_, given_, caller_);
  if (fit.only_check()) return;
  fit_ = fit.find();
  for (const auto& remark : fit_.remarks) print_error("warning: " + remark);
  options_ = fit.options_of(fit_, given_);
}

void Program::build() {
  run_ = prepare(comm_, make_, options_, caller_);
}

/// Help must not fail on what it is asked to explain: it lists the options that were read before the first bad one.
bool Program::only_help() {
  if (!line_.wants_help() && !options_.given("help")) return false;
  try {
    agreement_.phase([&] { build(); });
  } catch (const Ended&) {
    print_help();
    throw;
  }
  if (!line_.wants_help() && !run_.wants_help) return false;
  print_help();
  return true;
}

void Program::print_help() {
  const auto elsewhere = options_elsewhere(comm_, agreement_, make_, given_, options_, caller_);
  if (agreement_.rank() == 0) print(help_text(line_.app(), options_, line_.help_word(), elsewhere));
}

core::ExitCode Program::check() {
  Execution execution(*run_.problem, run_.settings, {});
  const std::string plan = execution.plan_output();
  if (run_.check_structure) {
    const dae::Structure structure = execution.structure();
    if (agreement_.rank() == 0) print(fmt::format("{}: {}", line_.app(), structure.text));
    if (structure.singular) return core::ExitCode::bad_input;
  }
  if (agreement_.rank() != 0 || run_.settings.quiet) return core::ExitCode::done;
  if (!plan.empty()) print(fmt::format("into {}: {}\n", run_.settings.out, plan));
  print(line_.app() + ": the input is good\n");
  return core::ExitCode::done;
}

core::ExitCode Program::integrate() {
  const Signals signals;
  if (agreement_.rank() == 0 && !run_.settings.quiet) print(remark_on_compiler(caller_));
  Solution solution = Execution(*run_.problem, run_.settings, {}).run();
  solution.summary.fit = fit_;
  if (run_.error_bars && solution.done())
    add_error_bars(solution);
  else if (fit_.any() && !run_.settings.out.empty())
    agreement_.phase([&] { write_run_json(comm_, run_.settings.out, solution.summary); });
  if (fit_.any() && solution.done() && !run_.settings.out.empty())
    agreement_.phase([&] { Fit::forget(comm_, run_.settings.out); });
  if (!solution.message().empty()) print_error(solution.message());
  if (agreement_.rank() == 0 && !run_.settings.quiet) print(summary_table(solution.summary));
  return solution.code();
}

/// The run is over and its folder complete; whatever happens here leaves it so.
void Program::add_error_bars(Solution& solution) {
  const bool speaks = agreement_.rank() == 0 && !run_.settings.quiet;
  if (speaks) print("error bars: a run at a tenth of the tolerances, and one on another grid\n");
  std::vector<std::string> remarks;
  solution.summary.errors = ErrorBarRuns(comm_, agreement_, make_, given_, caller_).find(run_, solution, remarks);
  for (const auto& remark : remarks) print_error(remark);
  if (!run_.settings.out.empty()) agreement_.phase([&] { write_run_json(comm_, run_.settings.out, solution.summary); });
}

void Program::print_error(const std::string& message) const {
  if (agreement_.rank() == 0) run::print_error(line_.app(), message);
}

} // namespace rhumb::run
