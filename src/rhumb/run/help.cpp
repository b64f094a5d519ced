#include <rhumb/run/help.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace rhumb::run {

namespace {
std::string details(const core::Declared& option) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!option.about.unit.empty()) add("in " + option.about.unit);
  add("default " + (option.standard.empty() ? "none" : option.standard));
  if (!option.range.empty() && option.shape != core::Shape::flag) add(option.range);
  if (option.given) add("now " + option.value);
  return text;
}

std::string lines_of(const core::Options& options, bool of_integrator) {
  std::string text;
  for (const auto& option : options.declared())
    if (option.name.starts_with("dae_") == of_integrator)
      text += fmt::format("  {:<24} {} ({})\n", "-" + option.name, option.about.text, details(option));
  return text;
}
} // namespace

std::string help_text(const std::string& app, const core::Options& options) {
  return fmt::format(
      "{} [case.yaml] [options]\n\n"
      "A case file holds options as YAML (dae: {{rtol: 1e-5}} is -dae_rtol 1e-5); the command line wins.\n"
      "\nProblem and run:\n{}\nIntegrator:\n{}"
      "  {:<24} PETSc's options for the linear solver and the preconditioner\n"
      "\nExit codes: 0 done, 2 bad input, 3 the solver gave up, 4 input or output failed, 5 stopped by a "
      "signal or\nby -wall_limit, 70 a bug.\n",
      app, lines_of(options, false), lines_of(options, true), "-dae_ksp_*, -dae_pc_*");
}

} // namespace rhumb::run
