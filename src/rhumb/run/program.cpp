#include <rhumb/run/program.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/run/changes.hpp>
#include <rhumb/run/console.hpp>
#include <rhumb/run/help.hpp>
#include <rhumb/run/petsc_refusal.hpp>
#include <rhumb/run/signals.hpp>
#include <fmt/format.h>

namespace rhumb::run {

Program::Program(MPI_Comm comm, CommandLine& line, const Make& make, Settings::Clock::time_point started,
                 bool optimised)
    : comm_(comm), line_(line), make_(make), started_(started), optimised_(optimised), agreement_(comm, line.app()) {}

core::ExitCode Program::execute() {
  try {
    agreement_.phase([&] { load_options(comm_, line_, options_); });
    for (const auto& remark : line_.repeated_options()) complain(remark);
    if (only_help()) return core::ExitCode::done;
    agreement_.phase([&] { build(); });
    return only_check_ ? check() : integrate();
  } catch (const Ended& ended) {
    const bool named = std::string_view(ended.what()).find(line_.case_file()) != std::string_view::npos;
    const bool of_case = ended.code() == core::ExitCode::bad_input && !line_.case_file().empty() && !named;
    complain(of_case ? fmt::format("{} (with the case file {})", ended.what(), line_.case_file()) : ended.what());
    return ended.code();
  }
}

void Program::build() {
  const core::PetscOptionsScope scope(options_);
  problem_ = make_(comm_, options_);
  if (!problem_) throw std::logic_error("the driver made no problem");
  const auto problem_options = options_of_problem(options_.declared(), *problem_);
  settings_ = read_settings(options_, *problem_);
  only_check_ = options_.flag("check", false, {"read and build everything, but do not run"});
  wants_help_ = options_.flag("help", false, {"print the options of this driver"});
  settings_.problem_options = problem_options;
  settings_.options = options_;
  settings_.app = line_.app();
  settings_.started = started_;
  settings_.stop_signal = Signals::received;
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
  if (!line_.wants_help() && !wants_help_) return false;
  print_help();
  return true;
}

void Program::print_help() const {
  if (agreement_.rank() == 0) say(help_text(line_.app(), options_));
}

core::ExitCode Program::check() {
  const std::string plan = Execution(*problem_, settings_, {}).plan_output();
  if (agreement_.rank() != 0 || settings_.quiet) return core::ExitCode::done;
  if (!plan.empty()) say(fmt::format("into {}: {}\n", settings_.out, plan));
  say(line_.app() + ": the input is good\n");
  return core::ExitCode::done;
}

core::ExitCode Program::integrate() {
  const Signals signals;
  if (!optimised_ && agreement_.rank() == 0 && !settings_.quiet)
    say(line_.app() +
        ": compiled without optimisation, so it may take 15 times as long; -O2 or CMake's Release mends that\n");
  const Solution solution = Execution(*problem_, settings_, {}).run();
  if (!solution.message().empty()) complain(solution.message());
  if (agreement_.rank() == 0 && !settings_.quiet) say(summary_table(solution.summary));
  return solution.code();
}

void Program::complain(const std::string& message) const {
  if (agreement_.rank() == 0) run::complain(line_.app(), message);
}

} // namespace rhumb::run
