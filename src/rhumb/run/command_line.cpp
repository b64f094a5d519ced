#include <rhumb/run/command_line.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/run/case_file.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <petscsys.h>
#include <sstream>
#include <utility>

namespace rhumb::run {

namespace {
/// PETSc's own variable. The user's shell sets it, so it counts as words of the user.
constexpr const char* environment_variable = "PETSC_OPTIONS";

/// PETSc acts on these while it starts: it reads a file (for ever, where the file names itself) or renames options.
constexpr std::array rejected_arguments{"-options_file", "-options_file_yaml", "-options_string_yaml", "-prefix_push",
                                        "-prefix_pop"};

/// May be given several times: its values become one, with ';' between them.
constexpr const char* collected_option = "vary";

constexpr std::array written_at_end{"log_view", "memory_view", "objects_view", "options_view"};

bool is_rejected(const std::string& argument) {
  return std::ranges::find(rejected_arguments, core::to_lower(argument)) != rejected_arguments.end();
}

bool asks_for_help(const std::string& argument) {
  return argument == "-help" || argument == "--help" || argument == "-h";
}

bool is_case_name(const std::string& argument) {
  return argument.ends_with(".yaml") || argument.ends_with(".yml");
}
} // namespace

CommandLine::CommandLine(int argc, char** argv) {
  const std::string program = argc > 0 ? argv[0] : "rhumb";
  app_ = program.substr(program.find_last_of('/') + 1);
  arguments_.push_back(program);
  int next = 1;
  if (argc > 1 && argv[1][0] != '-') case_file_ = argv[next++];
  for (bool takes_value = false; next < argc; ++next) {
    const std::string argument = argv[next];
    if (asks_for_help(argument)) {
      wants_help_ = true;
      takes_value = false;
      const bool has_word = next + 1 < argc && !core::is_option(argv[next + 1]) && !is_case_name(argv[next + 1]);
      if (has_word) help_word_ = argv[++next];
    } else if (is_rejected(argument)) {
      if (rejected_.empty()) rejected_ = argument;
      takes_value = true;
    } else if (core::is_option(argument) || takes_value) {
      takes_value = core::is_option(argument);
      arguments_.push_back(argument);
    } else {
      stray_.push_back(argument);
    }
  }
  if (case_file_.empty() && stray_.size() == 1 && is_case_name(stray_[0])) {
    case_file_ = stray_[0];
    stray_.clear();
  }
  for (auto& argument : arguments_) pointers_.push_back(argument.data());
  pointers_.push_back(nullptr);
  argc_ = static_cast<int>(arguments_.size());
  argv_ = pointers_.data();
}

void CommandLine::take_environment() {
  const char* text = std::getenv(environment_variable);
  if (!text) return;
  std::istringstream arguments(text);
  for (std::string argument; arguments >> argument;)
    if (is_rejected(argument) && rejected_.empty()) rejected_ = argument;
  if (!rejected_.empty()) unsetenv(environment_variable); // before PETSc reads it
}

void CommandLine::reject_bad_arguments() const {
  if (!rejected_.empty())
    throw core::BadInput(
        fmt::format("{}: files of PETSc's options are not read; a case file (NAME.yaml) holds options", rejected_));
  if (!stray_.empty())
    throw core::BadInput(fmt::format(
        "the word {} belongs to no option (values of a list have commas between them and no blanks: -n 64,64; one case "
        "file may be given: the first word, or NAME.yaml)",
        stray_.front()));
}

std::vector<std::pair<std::string, std::string>> CommandLine::options() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (auto& [name, value] : core::option_pairs(arguments_)) {
    const auto same = [&](const auto& known) { return core::to_lower(known.first) == core::to_lower(name); };
    const auto known = core::to_lower(name) == collected_option ? std::ranges::find_if(out, same) : out.end();
    if (known == out.end())
      out.emplace_back(std::move(name), std::move(value));
    else
      known->second += ";" + value;
  }
  return out;
}

std::vector<std::string> CommandLine::repeated_options() const {
  std::vector<std::string> remarks;
  std::map<std::string, std::string> values;
  for (const auto& [name, value] : options()) {
    const std::string shown = value.empty() ? "no value" : value;
    const auto [known, added] = values.emplace(core::to_lower(name), shown);
    if (!added && known->second != shown)
      remarks.push_back(fmt::format("option -{} is given twice; the last counts: {}, not {}", core::to_lower(name),
                                    shown, std::exchange(known->second, shown)));
  }
  return remarks;
}

namespace {
/// PETSc writes these at its end, when it is too late to refuse them: [type]:file[:format].
void reject_unwritable_logs(MPI_Comm comm, const core::Options& options) {
  for (const auto& [name, text, location] : options.undeclared()) {
    if (std::ranges::find(written_at_end, core::to_lower(name)) == written_at_end.end()) continue;
    const auto colon = text.find(':');
    if (colon == std::string::npos) continue;
    const std::string file = text.substr(colon + 1, text.find(':', colon + 1) - colon - 1);
    core::run_on_root(comm, [&] {
      if (!file.empty() && !std::ofstream(file, std::ios::app))
        throw core::BadInput(fmt::format("option -{} {}: {} cannot be written", name, text, file));
    });
  }
}
} // namespace

void load_options(MPI_Comm comm, const CommandLine& line, core::Options& options) {
  line.reject_bad_arguments();
  if (const char* text = std::getenv(environment_variable)) {
    std::istringstream stream(text);
    std::vector<std::string> arguments;
    for (std::string argument; stream >> argument;) arguments.push_back(argument);
    for (const auto& [name, value] : core::option_pairs(arguments)) options.set(name, value);
  }
  for (const auto& [name, value] : line.options()) options.set(name, value);
  reject_unwritable_logs(comm, options);
  if (!line.case_file().empty()) take_case(read_case_file(comm, line.case_file()), options);
}

} // namespace rhumb::run
