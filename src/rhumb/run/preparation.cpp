#include <rhumb/run/preparation.hpp>

#include <rhumb/core/failure.hpp>

#include <rhumb/run/changes.hpp>
#include <rhumb/run/gradients.hpp>
#include <rhumb/run/option_parameters.hpp>
#include <rhumb/run/sensitivities.hpp>
#include <rhumb/run/signals.hpp>
#include <stdexcept>

namespace rhumb::run {

std::string remark_on_compiler(const Caller& caller) {
  if (caller.optimised) return "";
  return caller.app +
         ": compiled without optimisation, so it may take 15 times as long; -O2 or CMake's Release mends that\n";
}

namespace {
/// A flag, with one word more that it may have for a value.
void read_check(const core::Options& options, Prepared& out) {
  const std::string value =
      options.choice("check", "false", {"true", "false", "structure", "yes", "no", "on", "off", "1", "0", ""},
                     {"read and build everything, but do not run; structure: also rank, index and kinds"});
  const auto is = [&](const auto&... words) { return ((value == words) || ...); };
  out.only_check = !is("false", "no", "off", "0");
  out.check_structure = value == "structure";
}
std::vector<std::string> set_by_events(const core::Options& options) {
  std::vector<std::string> names;
  for (const auto& rule : read_event_rules(options))
    for (const auto& assignment : rule.set) names.push_back(assignment.first);
  return names;
}
} // namespace

Prepared prepare(MPI_Comm comm, const Make& make, const core::Options& options, const Caller& caller) {
  const core::PetscOptionsScope scope(options);
  Prepared out;
  out.problem = make(comm, options);
  if (!out.problem) throw std::logic_error("the driver made no problem");
  auto wanted = core::split_at_commas(options.string("sensitivity", "", about_sensitivity()));
  for (auto& name : parameters_in_with(options)) wanted.push_back(std::move(name));
  out.problem =
      with_option_parameters(comm, make, options, std::move(out.problem), {std::move(wanted), set_by_events(options)});
  const auto problem_options = options_of_problem(options.declared(), *out.problem);
  out.settings = read_settings(options, *out.problem);
  out.study = read_study_plan(options, caller.studies);
  out.error_bars = options.flag("error_bars", false, {"errors in time and space of each figure, by two more runs"});
  if (out.error_bars && out.study.kind != StudyPlan::Kind::none)
    throw core::BadInput("option -error_bars: a study has none; run one of its cases with it");
  read_check(options, out);
  out.wants_help = options.flag("help", false, {"print the options of this driver"});
  out.settings.problem_options = problem_options;
  out.settings.options = options;
  out.settings.app = caller.app;
  out.settings.started = caller.started;
  out.settings.stop_signal = Signals::received;
  return out;
}

} // namespace rhumb::run
