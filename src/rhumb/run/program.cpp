#include <rhumb/run/program.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/io/folder_lock.hpp>
#include <rhumb/io/ownership.hpp>
#include <rhumb/run/changes.hpp>
#include <rhumb/run/console.hpp>
#include <rhumb/run/help.hpp>
#include <rhumb/run/integrator_options.hpp>
#include <rhumb/run/output_plan.hpp>
#include <rhumb/run/petsc_refusal.hpp>
#include <rhumb/run/progress.hpp>
#include <rhumb/run/signals.hpp>
#include <rhumb/run/snapshots.hpp>
#include <rhumb/run/steps_file.hpp>
#include <rhumb/run/unread.hpp>
#include <rhumb/run/watcher.hpp>
#include <rhumb/version.hpp>
#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace rhumb::run {

namespace {
std::string counted(long number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// Fields become names in files: of datasets, options and columns.
void check_field_name(const std::string& name) {
  const auto bad = [](unsigned char c) { return c == '/' || std::iscntrl(c) != 0; };
  if (name.empty() || name == "." || std::ranges::any_of(name, bad))
    throw core::BadInput(fmt::format("the name '{}' cannot be that of a field: no '/', no control characters", name));
}

PetscInt unknowns_of(const dae::Problem& problem) {
  const core::VecHandle y = problem.create_vector();
  PetscInt size = 0;
  core::check(VecGetSize(y, &size));
  return size;
}
} // namespace

Program::Program(CommandLine& line, const Make& make, Loop::Clock::time_point started)
    : line_(line), make_(make), started_(started), agreement_(PETSC_COMM_WORLD, line.app()) {}

core::ExitCode Program::execute() {
  try {
    agreement_.phase([&] { load_case(PETSC_COMM_WORLD, line_, options_); });
    for (const auto& remark : line_.repeated_options()) complain(remark);
    if (only_help()) return core::ExitCode::done;
    build();
    if (!settings_.check) return integrate();
    check_output();
    if (agreement_.rank() == 0 && !settings_.quiet) say(line_.app() + ": the input is good\n");
    return core::ExitCode::done;
  } catch (const Ended& ended) {
    const bool named = std::string_view(ended.what()).find(line_.case_file()) != std::string_view::npos;
    const bool of_case = ended.code() == core::ExitCode::bad_input && !line_.case_file().empty() && !named;
    complain(of_case ? fmt::format("{} (with the case file {})", ended.what(), line_.case_file()) : ended.what());
    return ended.code();
  }
}

void Program::build_problem() {
  problem_ = make_(options_);
  if (!problem_) throw std::logic_error("the driver made no problem");
  for (const auto& field : problem_->fields()) check_field_name(field.name);
  problem_options_ = options_of_problem(options_.declared(), *problem_);
  integrator_options_ = read_integrator_options(options_, *problem_);
  settings_ = read_settings(options_, *problem_);
}

/// Help must not fail on what it is asked to explain: it lists the options that were read before the first bad one.
bool Program::only_help() {
  if (!line_.wants_help() && !options_.given("help")) return false;
  try {
    agreement_.phase([&] { build_problem(); });
  } catch (const Ended&) {
    print_help();
    throw;
  }
  if (!line_.wants_help() && !settings_.help) return false;
  print_help();
  return true;
}

void Program::print_help() const {
  if (agreement_.rank() == 0) say(help_text(line_.app(), options_));
}

void Program::build() {
  agreement_.phase([&] { build_problem(); });
  agreement_.phase([&] { with_petsc_options([&] { integrator_.emplace(*problem_, integrator_options_); }); });
  agreement_.phase([&] { refuse_unread(options_, integrator_options_.prefix, Moment::before_start); });
}

core::ExitCode Program::integrate() {
  const Signals signals;
  std::optional<io::FolderLock> lock;
  if (!settings_.out.empty()) {
    agreement_.phase([&] {
      io::make_folder(PETSC_COMM_WORLD, settings_.out);
      lock.emplace(PETSC_COMM_WORLD, settings_.out);
      core::on_first(PETSC_COMM_WORLD, [&] { io::refuse_foreign_files(settings_.out); });
    });
  }
  auto watching = observers();
  Checkpoints checkpoints(PETSC_COMM_WORLD, settings_, *problem_, about(), problem_options_);
  announce();
  Loop loop({*problem_, *integrator_, settings_, agreement_, checkpoints, watching, started_,
             [&] { refuse_unread(options_, integrator_options_.prefix, Moment::after_first_step); },
             [&] { warn_of_output(); }});
  const Ending ending = loop.run();
  const bool refused = ending.code == core::ExitCode::bad_input || ending.code == core::ExitCode::input_output;
  if (!loop.begun() && refused) throw Ended(ending.code, ending.message); // the folder stays as it was
  Summary summary = summarize(loop, ending);
  conclude(summary);
  return summary.ending.code;
}

/// With -check the problem's initial values say how large a snapshot will be; nobody runs with them afterwards.
void Program::check_output() {
  if (settings_.out.empty()) return;
  agreement_.phase([&] {
    const core::VecHandle y = problem_->create_vector(), ydot = core::same_layout(y);
    problem_->initial_values(settings_.t_start, y, ydot);
    const OutputPlan plan = output_plan(PETSC_COMM_WORLD, settings_, *problem_, settings_.t_start, y, ydot);
    if (agreement_.rank() == 0 && !settings_.quiet) say(fmt::format("into {}: {}\n", settings_.out, plan.text()));
  });
}

void Program::warn_of_output() {
  if (settings_.out.empty()) return;
  const OutputPlan plan = output_plan(PETSC_COMM_WORLD, settings_, *problem_, integrator_->time(), integrator_->state(),
                                      integrator_->derivative());
  if (plan.is_large() && agreement_.rank() == 0 && !settings_.quiet)
    say(fmt::format("warning: this run writes {}\n", plan.text()));
}

std::vector<std::unique_ptr<Observer>> Program::observers() {
  std::vector<std::unique_ptr<Observer>> out;
  out.push_back(std::make_unique<Watcher>(*problem_, settings_.t_end));
  if (!settings_.out.empty()) {
    out.push_back(std::make_unique<StepsFile>(PETSC_COMM_WORLD, settings_.out));
    out.push_back(
        std::make_unique<Snapshots>(PETSC_COMM_WORLD, settings_.out, *problem_, settings_.output_times, about()));
  }
  if (agreement_.rank() == 0 && !settings_.quiet) out.push_back(std::make_unique<ProgressLine>(settings_, started_));
  return out;
}

io::About Program::about() const {
  io::About out{line_.app(), rhumb::version, {}};
  for (const auto& option : options_.declared()) out.options.emplace_back(option.name, option.value);
  for (const auto& option : petsc_options(options_)) out.options.push_back(option);
  return out;
}

void Program::announce() const {
  const PetscInt unknowns = unknowns_of(*problem_);
  if (agreement_.rank() != 0 || settings_.quiet) return;
  say(fmt::format("{}: {}, {}, {}, t = {:g} ... {:g}, rtol {:g}{}\n", line_.app(), problem_->name(),
                  counted(unknowns, "unknown"), counted(agreement_.size(), "rank"), settings_.t_start, settings_.t_end,
                  integrator_options_.tolerances.rtol, settings_.out.empty() ? "" : ", into " + settings_.out));
  say(integrator_->describe() + "\n");
}

/// A run that went well must have its figures; after a failure they are a gift.
dae::Figures Program::report(const Loop& loop, Ending& ending) {
  dae::Figures figures;
  try {
    agreement_.phase([&] { figures = problem_->report(loop.time(), loop.state(), loop.derivative()); });
  } catch (const Ended& ended) {
    figures.clear();
    if (ending.code == core::ExitCode::done) ending = {ended.code(), reason_of(ended.code()), ended.what()};
  }
  return figures;
}

Summary Program::summarize(const Loop& loop, const Ending& ending) {
  Summary summary;
  summary.ending = ending;
  summary.results = report(loop, summary.ending);
  summary.app = line_.app();
  summary.version = rhumb::version;
  summary.problem = problem_->name();
  summary.ranks = agreement_.size();
  summary.unknowns = unknowns_of(*problem_);
  summary.t_start = settings_.t_start;
  summary.t_end = settings_.t_end;
  summary.t = loop.time();
  summary.error_test = integrator_->describe();
  summary.statistics = integrator_->statistics();
  summary.phases = integrator_->phases();
  summary.start_seconds = loop.start_seconds();
  summary.output_seconds = loop.output_seconds();
  summary.memory = peak_memory(PETSC_COMM_WORLD);
  summary.options = options_.declared();
  summary.petsc_options = petsc_options(options_);
  summary.state = small_state(*problem_, loop.state());
  const auto events = problem_->events();
  for (std::size_t i = 0; i < events.size(); ++i) summary.events.emplace_back(events[i].name, loop.event_counts()[i]);
  if (loop.restarted_from()) summary.restarted_from = loop.restarted_from()->file.string();
  summary.wall_seconds = std::chrono::duration<double>(Loop::Clock::now() - started_).count();
  return summary;
}

void Program::conclude(Summary& summary) {
  if (!summary.ending.message.empty()) complain(summary.ending.message);
  try {
    if (!settings_.out.empty())
      agreement_.phase(
          [&] { io::write_text(PETSC_COMM_WORLD, io::Path(settings_.out) / "run.json", summary_json(summary)); });
  } catch (const Ended& ended) {
    complain(ended.what());
    if (summary.ending.code == core::ExitCode::done) summary.ending.code = ended.code();
  }
  if (agreement_.rank() == 0 && !settings_.quiet) say(summary_table(summary));
}

void Program::complain(const std::string& message) const {
  if (agreement_.rank() == 0) run::complain(line_.app(), message);
}

} // namespace rhumb::run
