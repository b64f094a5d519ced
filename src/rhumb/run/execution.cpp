#include <rhumb/run/execution.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/dae/direct_solve.hpp>
#include <rhumb/dae/tolerance_rule.hpp>
#include <rhumb/io/ownership.hpp>
#include <rhumb/run/console.hpp>
#include <rhumb/run/output_plan.hpp>
#include <rhumb/run/petsc_refusal.hpp>
#include <rhumb/run/progress.hpp>
#include <rhumb/run/sensitivities.hpp>
#include <rhumb/run/sensitivity_fields.hpp>
#include <rhumb/run/snapshots.hpp>
#include <rhumb/run/steps_file.hpp>
#include <rhumb/run/unread.hpp>
#include <rhumb/run/watcher.hpp>
#include <rhumb/version.hpp>
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>

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

PetscInt size_of_vector(Vec y) {
  PetscInt size = 0;
  core::check(VecGetSize(y, &size));
  return size;
}

/// What the problem itself advises belongs to the message of a run that was given up.
std::string advice_in(const dae::Figures& figures) {
  for (const auto& [name, figure] : figures)
    if (const auto* text = std::get_if<std::string>(&figure); text && name == "advice") return "\n" + *text;
  return "";
}
} // namespace

Execution::Execution(dae::Problem& problem, Settings settings, Observers observers)
    : problem_(problem), settings_(std::move(settings)), observers_(std::move(observers)),
      model_(problem.create_vector()), comm_(PetscObjectComm(reinterpret_cast<PetscObject>(model_.get()))),
      agreement_(comm_, settings_.app) {
  const core::PetscOptionsScope scope(settings_.options);
  agreement_.phase([&] {
    for (const auto& field : problem_.fields()) check_field_name(field.name);
    settings_ = completed(std::move(settings_), problem_);
    tell_problem();
    with_petsc_options([&] { integrator_.emplace(problem_, *settings_.integrator); });
    reject_unread(false);
    if (!problem_.objection().empty()) throw core::BadInput(problem_.objection());
    assignments_ = std::make_shared<EventAssignments>(settings_.events, problem_);
    integrator_->watch(watch_of(settings_.events, problem_, settings_.t_start, assignments_));
    if (!settings_.integrals.empty())
      integrals_ = std::make_shared<TimeIntegrals>(settings_.integrals, *integrator_, problem_, settings_.t_start);
  });
}

void Execution::tell_problem() {
  if (auto* rule = dynamic_cast<dae::ToleranceRule*>(&problem_)) rule->set_tolerances(settings_.integrator->tolerances);
  auto* form = dynamic_cast<dae::DirectSolve*>(&problem_);
  const std::string solver = settings_.integrator->prefix + "pc_type";
  if (!form) return;
  const std::string type =
      settings_.options.given(solver) ? settings_.options.string(solver, "", {"preconditioner"}) : "";
  form->set_direct_solve(type == "lu" || type == "cholesky");
}

void Execution::reject_unread(bool after_first_step) const {
  reject_unknown_options(settings_.options, settings_.integrator->prefix,
                         after_first_step ? Moment::after_first_step : Moment::before_start);
}

Solution Execution::run() {
  begin();
  while (step()) {
  }
  return finish();
}

void Execution::begin() {
  const core::PetscOptionsScope scope(settings_.options);
  if (!settings_.out.empty()) {
    agreement_.phase([&] {
      io::make_folder(comm_, settings_.out);
      lock_.emplace(comm_, settings_.out);
      core::run_on_root(comm_, [&] { io::reject_foreign_files(settings_.out); });
    });
  }
  watching_ = all_observers();
  kept_ = std::make_shared<KeptStates>(settings_.keep_states ? settings_.output_times : Schedule(), settings_.t_end,
                                       settings_.dense_output);
  watching_.push_back(kept_);
  checkpoints_.emplace(comm_, settings_, problem_, about(), settings_.problem_options);
  announce();
  loop_.emplace(Loop::Parts{problem_, *integrator_, settings_, agreement_, *checkpoints_, watching_, *assignments_,
                            [this] { reject_unread(true); }, [this] { warn_of_output(); }});
  loop_->start();
}

bool Execution::step() {
  const core::PetscOptionsScope scope(settings_.options);
  return loop_->advance();
}

Solution Execution::finish() {
  const core::PetscOptionsScope scope(settings_.options);
  const Ending ending = loop_->finish();
  const bool rejected = ending.code == core::ExitCode::bad_input || ending.code == core::ExitCode::input_output;
  if (!loop_->begun() && rejected) throw Ended(ending.code, ending.message); // the folder stays as it was
  Solution solution;
  solution.summary = summarize(*loop_, ending);
  write_summary(solution.summary);
  solution.t = loop_->time();
  solution.y = core::same_layout(model_);
  solution.ydot = core::same_layout(model_);
  core::check(VecCopy(loop_->state(), solution.y));
  core::check(VecCopy(loop_->derivative(), solution.ydot));
  solution.events = loop_->event_times();
  if (loop_->begun()) kept_->hand_over(*integrator_, solution);
  return solution;
}

std::string Execution::plan_output() {
  std::string text;
  if (settings_.out.empty()) return text;
  const core::PetscOptionsScope scope(settings_.options);
  agreement_.phase([&] {
    const core::VecHandle y = core::same_layout(model_), ydot = core::same_layout(model_);
    problem_.initial_values(settings_.t_start, y, ydot);
    text = output_plan(comm_, settings_, *integrator_, problem_, settings_.t_start, y, ydot).text();
  });
  return text;
}

dae::Structure Execution::structure() {
  dae::Structure found;
  const core::PetscOptionsScope scope(settings_.options);
  agreement_.phase([&] {
    const core::VecHandle y = core::same_layout(model_), ydot = core::same_layout(model_);
    problem_.initial_values(settings_.t_start, y, ydot);
    dae::GuardedSystem guarded(problem_);
    found = dae::analyse_structure(guarded, settings_.t_start, y, ydot, settings_.t_end - settings_.t_start);
  });
  return found;
}

void Execution::warn_of_output() {
  if (settings_.out.empty()) return;
  const OutputPlan plan = output_plan(comm_, settings_, *integrator_, problem_, integrator_->time(),
                                      integrator_->state(), integrator_->derivative());
  if (plan.is_large() && speaks()) print(fmt::format("warning: this run writes {}\n", plan.text()));
}

Observers Execution::all_observers() {
  Observers out;
  out.push_back(std::make_shared<Watcher>(problem_, settings_.t_start, settings_.t_end));
  if (integrator_->sensitivities() > 0)
    out.push_back(std::make_shared<BesideWatcher>(*integrator_, problem_, settings_.t_end));
  if (integrals_) out.push_back(integrals_);
  add_writers(out);
  if (settings_.gradients.any()) {
    gradients_ = std::make_shared<GradientWatch>(problem_, settings_.gradients);
    out.push_back(gradients_);
  }
  if (speaks()) out.push_back(std::make_shared<ProgressLine>(settings_, settings_.started));
  out.insert(out.end(), observers_.begin(), observers_.end());
  return out;
}

void Execution::add_writers(Observers& out) {
  std::shared_ptr<Snapshots> snapshots;
  if (!settings_.out.empty())
    snapshots = std::make_shared<Snapshots>(comm_, settings_.out, problem_, settings_.output_times, about(),
                                            [this](double t, Vec y, Vec ydot) { return additions(t, y, ydot); });
  if (settings_.series_every_step || settings_.series_times.next()) {
    series_ = std::make_shared<ScalarSeries>(problem_, settings_, snapshots);
    out.push_back(series_);
  }
  if (!snapshots) return;
  out.push_back(std::make_shared<StepsFile>(comm_, settings_.out));
  out.push_back(snapshots);
}

/// What snapshots hold beside the problem's fields and series.
io::Additions Execution::additions(double t, Vec y, Vec ydot) {
  io::Additions out;
  if (integrator_->sensitivities() > 0)
    out = sensitivity_fields(*integrator_, settings_.integrator->sensitivities, problem_, t, y, ydot);
  if (series_ && problem_.series(t, y, ydot).empty())
    std::ranges::copy(scalars_of(problem_, t, y, ydot), std::back_inserter(out.series));
  return out;
}

io::SeriesInfo Execution::about() const {
  io::SeriesInfo out{settings_.app, rhumb::version, {}};
  for (const auto& option : settings_.options.declared()) out.options.emplace_back(option.name, option.value);
  for (const auto& option : settings_.options.undeclared()) out.options.emplace_back(option.name, option.value);
  return out;
}

void Execution::announce() const {
  if (!speaks()) return;
  print(fmt::format("{}: {}, {}, {}, t = {:g} ... {:g}, rtol {:g}{}\n", settings_.app, problem_.name(),
                    counted(size_of_vector(model_), "unknown"), counted(agreement_.size(), "rank"), settings_.t_start,
                    settings_.t_end, settings_.integrator->tolerances.rtol,
                    settings_.out.empty() ? "" : ", into " + settings_.out));
  print(integrator_->describe() + "\n");
  for (const auto& remark : remarks_on(settings_.integrator->sensitivities, problem_)) print(remark + "\n");
}

/// A run that went well must have its figures; after a failure they are a gift.
dae::Figures Execution::report(const Loop& loop, Ending& ending) {
  dae::Figures figures;
  try {
    agreement_.phase([&] {
      figures = figures_of(problem_, loop.time(), loop.state(), loop.derivative());
      if (integrals_ && loop.begun()) integrals_->add_to(figures, loop.time());
    });
  } catch (const Ended& ended) {
    figures.clear();
    if (ending.code == core::ExitCode::done) ending = {ended.code(), reason_of(ended.code()), ended.what()};
  }
  return figures;
}

/// Likewise.
std::vector<ParameterDerivatives> Execution::differentiate(const Loop& loop, Ending& ending) {
  std::vector<ParameterDerivatives> out;
  const bool ended_by_event = ending.reason == "stopped_by_event";
  try {
    agreement_.phase([&] {
      out = differentiate_figures(*integrator_, settings_.integrator->sensitivities, problem_, loop.time(),
                                  loop.state(), loop.derivative(), ended_by_event);
      for (std::size_t i = 0; integrals_ && i < out.size(); ++i)
        integrals_->add_derivatives(out[i].figures, i, loop.time(), ended_by_event);
    });
  } catch (const Ended& ended) {
    out.clear();
    if (ending.code == core::ExitCode::done) ending = {ended.code(), reason_of(ended.code()), ended.what()};
  }
  return out;
}

/// Likewise. The run itself is over, and its outputs are written.
void Execution::sweep_back(const Loop& loop, Summary& summary) {
  Ending& ending = summary.ending;
  const auto started = Settings::Clock::now();
  try {
    agreement_.phase([&] {
      if (ending.reason != "done")
        throw core::BadInput("option -gradient: the run ended at an event, whose time depends on all that the solution "
                             "depends on; nearest: -sensitivity, which knows how, or a -t_end before it");
      const auto gradients = run::sweep_back(*integrator_, settings_.gradients, problem_, gradients_->first_state(),
                                             loop.time(), loop.state(), loop.derivative());
      for (const auto& one : gradients) summary.gradients.emplace_back(one.figure, one.by);
      summary.adjoint = integrator_->adjoint_counts();
      if (!settings_.out.empty())
        write_gradients(io::Path(settings_.out) / "gradients", settings_.gradients, gradients, problem_,
                        settings_.t_start, about());
    });
  } catch (const Ended& ended) {
    ending = {ended.code(), reason_of(ended.code()), ended.what()};
  }
  summary.adjoint_seconds = std::chrono::duration<double>(Settings::Clock::now() - started).count();
}

Summary Execution::summarize(const Loop& loop, const Ending& ending) {
  Summary summary;
  summary.ending = ending;
  summary.results = report(loop, summary.ending);
  if (loop.begun() && series_) series_->add_extrema(summary.results);
  if (ending.code == core::ExitCode::solver_gave_up) summary.ending.message += advice_in(summary.results);
  if (loop.begun() && integrator_->sensitivities() > 0) summary.sensitivities = differentiate(loop, summary.ending);
  if (gradients_ && summary.ending.code == core::ExitCode::done) sweep_back(loop, summary);
  summary.app = settings_.app;
  summary.version = rhumb::version;
  summary.problem = problem_.name();
  summary.ranks = agreement_.size();
  summary.unknowns = size_of_vector(model_);
  summary.t_start = settings_.t_start;
  summary.t_end = settings_.t_end;
  summary.t = loop.time();
  summary.error_test = integrator_->describe();
  summary.uncontrolled_fields = integrator_->uncontrolled_fields();
  summary.statistics = integrator_->statistics();
  summary.phases = integrator_->phases();
  summary.start_seconds = loop.start_seconds();
  summary.output_seconds = loop.output_seconds();
  summary.memory = peak_memory(comm_);
  summary.options = settings_.options.declared();
  for (const auto& option : settings_.options.undeclared())
    summary.petsc_options.emplace_back(option.name, option.value);
  summary.state = small_state(problem_, loop.state());
  summary.events = loop.event_records();
  if (loop.restarted_from()) summary.restarted_from = loop.restarted_from()->file.string();
  summary.wall_seconds = std::chrono::duration<double>(Settings::Clock::now() - settings_.started).count();
  return summary;
}

void Execution::write_summary(Summary& summary) {
  if (settings_.out.empty()) return;
  try {
    agreement_.phase([&] { write_run_json(comm_, settings_.out, summary); });
  } catch (const Ended& ended) {
    Ending& ending = summary.ending;
    ending.message += (ending.message.empty() ? "" : "\nAnd then: ") + std::string(ended.what());
    if (ending.code == core::ExitCode::done) ending.code = ended.code(), ending.reason = reason_of(ended.code());
  }
}

void write_run_json(MPI_Comm comm, const std::string& folder, const Summary& summary) {
  io::write_text(comm, io::Path(folder) / "run.json", summary_json(summary));
}

Solution failed(const dae::Problem& problem, const Settings& settings, const Ending& ending) {
  Solution solution;
  solution.summary.ending = ending;
  solution.summary.app = settings.app;
  solution.summary.version = rhumb::version;
  solution.summary.problem = problem.name();
  return solution;
}

Solution integrate(dae::Problem& problem, Settings settings, Observers observers) {
  try {
    return Execution(problem, settings, std::move(observers)).run();
  } catch (const Ended& ended) {
    return failed(problem, settings, {ended.code(), reason_of(ended.code()), ended.what()});
  }
}

} // namespace rhumb::run
