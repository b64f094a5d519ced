#include <rhumb/run/study_plan.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/io/seal.hpp>
#include <rhumb/run/case_file.hpp>
#include <rhumb/run/solver_options.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace rhumb::run {

namespace {
constexpr std::array study_options{"study", "vary", "until", "study_combine", "study_width", "study_ranks"};

/// Those that a study sets for its runs.
constexpr std::array chosen_by_study{"out", "restart", "restart_with_changes"};

/// Those that change no result.
constexpr std::array without_effect{"checkpoint_dt", "wall_limit", "progress_dt", "quiet", "check", "help"};

bool is_among(const auto& names, const std::string& name) {
  return std::ranges::find(names, core::to_lower(name)) != names.end();
}

void reject_beside(const core::Options& options, const std::string& kind, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (options.given(name))
      throw core::BadInput(fmt::format("option -{}: {}", name,
                                       kind == "none" ? "it needs a -study" : "it does not belong to -study " + kind));
}

std::uint64_t checksum_of(const std::string& file) {
  constexpr std::uint64_t block = 1U << 20U; // whole words of the checksum
  io::Descriptor descriptor(file, io::Descriptor::Mode::read);
  const std::uint64_t size = descriptor.size();
  std::vector<std::byte> bytes;
  std::uint64_t sum = size;
  for (std::uint64_t at = 0; at < size; at += block) {
    bytes.resize(std::min(block, size - at));
    descriptor.read_at(at, bytes);
    sum += io::checksum_part(at / sizeof(std::uint64_t), bytes);
  }
  return sum;
}

bool is_file(const std::string& value) {
  std::error_code none;
  return !value.empty() && std::filesystem::is_regular_file(value, none);
}

/// A parameter of a text can be varied by its plain name.
void complete_names(const core::Options& options, StudyPlan& plan) {
  const auto known = [&](const std::string& name) {
    const auto same = [&](const auto& option) { return core::to_lower(option.name) == core::to_lower(name); };
    return std::ranges::any_of(options.declared(), same) || std::ranges::any_of(options.undeclared(), same);
  };
  for (auto& variation : plan.variations)
    if (const std::string whole = "parameters_" + variation.name; known(whole)) variation.name = whole;
}
} // namespace

bool is_study(const core::Options& given) {
  return core::Options(given).string("study", "none", {""}) != "none";
}

bool is_study_option(const std::string& name) {
  return is_among(study_options, name);
}

StudyPlan read_study_plan(const core::Options& options, const std::vector<NamedStudy>& named) {
  std::vector<std::string> kinds{"none", "sweep", "find"};
  std::string about = "runs in a row: sweep (all values of -vary), find (where -until begins to hold)";
  for (const auto& study : named) {
    kinds.push_back(study.name);
    about += fmt::format(", {} ({})", study.name, study.about);
  }
  StudyPlan plan;
  plan.name = options.choice("study", "none", kinds, {about});
  const std::string vary = options.string(
      "vary", "", {"what a study varies: n=64,128 or re=100:1000:4 or re=10:1000:3:log; several times, or with ';'"});
  const std::string until =
      options.string("until", "", {"find: the condition on a figure, such as fate=ignited, error<1e-3 or T>1000"});
  plan.combine = options.choice("study_combine", "all", {"all", "beside"},
                                {"sweep: every value with every other, or the lists beside each other"}) == "all"
                     ? Combine::all
                     : Combine::beside;
  plan.width = options.real("study_width", plan.width, {"find: width of the bracket, over its larger end"},
                            core::Range::between(1e-6, 1.0));
  plan.ranks = options.integer("study_ranks", 0, {"ranks of each run of a study; runs go on side by side; 0: all"},
                               core::Range::at_least(0));
  if (plan.name == "none") {
    const bool fit = !options.string("fit", "", {"measurements (CSV) that -vary's parameters are to fit"}).empty();
    if (!fit) reject_beside(options, plan.name, {"vary"});
    reject_beside(options, plan.name, {"until", "study_combine", "study_ranks"});
    return plan;
  }
  if (plan.name == "sweep") {
    plan.kind = StudyPlan::Kind::sweep;
    reject_beside(options, plan.name, {"until", "study_width"});
    plan.variations = parse_variations(vary);
    complete_names(options, plan);
    combinations(plan.variations, plan.combine); // throws where there are none
    return plan;
  }
  plan.kind = StudyPlan::Kind::find;
  reject_beside(options, plan.name, {"study_combine"});
  if (plan.name == "find") {
    plan.variations = parse_variations(vary);
    complete_names(options, plan);
    const Variation& one = plan.variations.front();
    const bool can_search = one.is_interval || one.values.size() == 1;
    if (plan.variations.size() != 1 || !can_search || !core::parse_real(one.values.front()))
      throw core::BadInput(
          fmt::format("option -vary {}: a search varies one number, NAME=LOW:HIGH or NAME=FIRST", vary));
    if (until.empty()) throw core::BadInput("option -until: a search needs its condition");
    plan.until = Condition::parse(until);
    plan.names.undecided = fmt::format("does not decide on {}", until);
    plan.names.found = one.name;
    plan.names.tried = one.name + "_tried";
    plan.names.held = "held";
    return plan;
  }
  reject_beside(options, plan.name, {"vary", "until"});
  plan.names = *std::ranges::find(named, plan.name, &NamedStudy::name);
  plan.variations = {{plan.names.option, {}, false}};
  plan.until = Condition::parse(plan.names.until);
  return plan;
}

void check_free_options(const core::Options& given, const StudyPlan& plan) {
  const auto reject = [](const std::string& name) {
    throw core::BadInput(fmt::format("option -{}: a study chooses it itself", name));
  };
  for (const char* name : {"restart", "restart_with_changes"})
    if (given.given(name)) reject(name);
  for (const auto& option : plan.names.options)
    if (given.given(option.first)) reject(option.first);
  for (const auto& variation : plan.variations) {
    if (is_study_option(variation.name) || is_among(chosen_by_study, variation.name) ||
        is_among(without_effect, variation.name))
      throw core::BadInput(fmt::format("option -vary {}: this one cannot be varied", variation.name));
    if (is_solver_option(variation.name))
      for (const auto& value : variation.values) check_solver_option({variation.name, value, "option -vary"});
  }
}

core::Options options_of_run(const core::Options& given, const StudyPlan& plan,
                             const std::vector<std::string>& values) {
  core::Options out(given);
  for (const char* name : study_options) out.erase(name);
  for (const auto& [name, value] : plan.names.options) out.set(name, value);
  for (std::size_t i = 0; i < values.size(); ++i) set_varied(out, plan.variations[i].name, values[i]);
  return out;
}

void set_varied(core::Options& options, const std::string& name, const std::string& value) {
  options.erase(name);
  take_case({{name, value, ""}}, options);
}

void check_varied(const core::Options& effective, const StudyPlan& plan) {
  for (const auto& variation : plan.variations) {
    const std::string& name = variation.name;
    const auto same = [&](const core::Declared& option) { return core::to_lower(option.name) == core::to_lower(name); };
    if (!is_solver_option(name) && std::ranges::none_of(effective.declared(), same))
      throw core::BadInput(fmt::format("option -vary {}: this one cannot be varied", name));
  }
}

std::string identity_of(const core::Options& effective, const StudyPlan& plan) {
  const auto is_free = [&](const std::string& name) {
    const auto varied = [&](const Variation& variation) {
      return core::to_lower(variation.name) == core::to_lower(name);
    };
    return is_study_option(name) || is_among(chosen_by_study, name) || is_among(without_effect, name) ||
           plan.names.options.contains(name) || std::ranges::any_of(plan.variations, varied);
  };
  std::set<std::string> lines; // in an order that does not depend on the command line
  const auto note_file = [&](const std::string& value) {
    if (is_file(value)) lines.insert(fmt::format("checksum of {} {:016x}\n", value, checksum_of(value)));
  };
  for (const auto& option : effective.declared()) {
    if (is_free(option.name)) continue;
    if (option.given) lines.insert(fmt::format("{} {}\n", option.name, option.value));
    note_file(option.value);
  }
  for (const auto& option : effective.undeclared())
    if (!is_free(option.name)) lines.insert(fmt::format("{} {}\n", option.name, option.value));
  for (const auto& variation : plan.variations) std::ranges::for_each(variation.values, note_file);
  std::string text;
  for (const auto& line : lines) text += line;
  return text.empty() ? "defaults\n" : text;
}

void require_same(const std::string& known, const std::string& mine, const std::string& folder,
                  const std::string& kind) {
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
      fmt::format("{} holds a {} with other options ({}, not {}): take another -out", folder, kind, theirs, ours));
}

} // namespace rhumb::run
