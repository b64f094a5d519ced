#include <rhumb/run/help.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <string_view>

namespace rhumb::run {

namespace {
/// Options whose names begin so; the last group takes what no other has.
struct Group {
  const char* title;
  const char* explanation;
  std::span<const std::string_view> beginnings;
};

constexpr std::array<std::string_view, 1> of_sides{"bc_"};
constexpr std::array<std::string_view, 5> of_fields{"initial_", "exact_", "semidiscrete_", "force_", "material"};
constexpr std::array<std::string_view, 10> of_run{"t_end",      "quiet",       "out",   "checkpoint_dt", "restart",
                                                  "wall_limit", "progress_dt", "event", "check",         "help"};
constexpr std::array<std::string_view, 7> of_studies{"study",       "vary",     "until", "error_bars",
                                                     "sensitivity", "gradient", "with"};
constexpr std::array<std::string_view, 2> fixed{"fixed_step", "fixed_order"};
constexpr std::array<std::string_view, 1> of_integrator{"dae_"};

constexpr std::array groups{
    Group{"Problem", "what is solved, and on which domain", {}},
    Group{"Fields and materials", "formulas of place and time (docs/reference/formulas.md)", of_fields},
    Group{"Sides", "SIDE is left, right, bottom, top, back, front, or the name of a mesh's boundary", of_sides},
    Group{"Run and output", "how long, and what is kept (docs/reference/run_folder.md)", of_run},
    Group{"Studies and errors", "several runs in one", of_studies},
    Group{"Constant steps", "for studies of orders", fixed},
    Group{"Integrator", "tolerances first; the rest has good defaults (docs/reference/integrator.md)", of_integrator},
};

std::size_t group_of(std::string_view name) {
  for (std::size_t g = 1; g < groups.size(); ++g)
    if (std::ranges::any_of(groups[g].beginnings, [&](std::string_view begin) { return name.starts_with(begin); }))
      return g;
  return 0;
}

std::string details(const core::Declared& option) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!option.about.unit.empty()) add("in " + option.about.unit);
  add("default " + (option.default_value.empty() ? "none" : option.default_value));
  if (!option.range.empty() && option.shape != core::OptionType::flag) add(option.range);
  if (option.given) add("now " + option.value);
  return text;
}

std::string line(const std::string& name, const std::string& text) {
  return fmt::format("  {:<24} {}\n", "-" + name, text);
}

/// The lines of a group that hold `word` in any case; all where it is empty.
std::string lines_of(const core::Options& options, const std::vector<OptionElsewhere>& elsewhere, std::size_t group,
                     const std::string& word) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& what) {
    const std::string entry = line(name, what);
    if (group_of(name) == group && core::to_lower(entry).find(core::to_lower(word)) != std::string::npos) text += entry;
  };
  for (const auto& option : options.declared())
    add(option.name, fmt::format("{} ({})", option.about.text, details(option)));
  for (const auto& [condition, option] : elsewhere)
    add(option.name, fmt::format("with {}: {} ({})", condition, option.about.text, details(option)));
  if (group + 1 == groups.size())
    add("dae_ksp_*, -dae_pc_*", "PETSc's options for the linear solver and the preconditioner");
  return text;
}
} // namespace

std::string help_text(const std::string& app, const core::Options& options, const std::string& word,
                      const std::vector<OptionElsewhere>& elsewhere) {
  std::string text;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (const auto lines = lines_of(options, elsewhere, g, word); !lines.empty())
      text += fmt::format("\n{}: {}\n{}", groups[g].title, groups[g].explanation, lines);
  if (!word.empty())
    return text.empty() ? fmt::format("no option of {} has '{}' in its name or text\n", app, word) : text;
  return fmt::format(
      "{} [case.yaml] [options]; -help WORD shows the options that have the word in their name or text\n\n"
      "A case file holds options as YAML (dae: {{rtol: 1e-5}} is -dae_rtol 1e-5); the command line wins.\n{}"
      "\nExit codes: 0 done, 2 bad input, 3 the solver gave up, 4 input or output failed, 5 stopped by a "
      "signal or\nby -wall_limit, 70 a bug.\n",
      app, text);
}

} // namespace rhumb::run
