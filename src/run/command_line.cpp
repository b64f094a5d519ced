#include "run/command_line.hpp"

#include "core/agreement.hpp"
#include "core/check.hpp"
#include "core/failure.hpp"
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <petscsys.h>

namespace rhumb::run {

namespace {
/// Larger files are no case files.
constexpr std::size_t largest_case = 1U << 20U;

bool asks_for_help(const std::string& word) {
  return word == "-help" || word == "--help" || word == "-h";
}

std::string read_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw core::BadInput(fmt::format("{}: {}", file, std::strerror(errno)));
  if (std::filesystem::is_directory(file)) throw core::BadInput(fmt::format("{} is a folder", file));
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) throw core::BadInput(fmt::format("{} cannot be read", file));
  if (text.size() > largest_case) throw core::BadInput(fmt::format("{} is too large for a case file", file));
  if (text.find('\0') != std::string::npos) throw core::BadInput(fmt::format("{} is no text", file));
  return text;
}

bool is_case_name(const std::string& word) {
  return word.ends_with(".yaml") || word.ends_with(".yml");
}
} // namespace

bool is_option(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  const std::size_t letter = word[1] == '-' ? 2 : 1;
  return letter < word.size() && std::isalpha(static_cast<unsigned char>(word[letter])) != 0;
}

CommandLine::CommandLine(int argc, char** argv) {
  const std::string program = argc > 0 ? argv[0] : "rhumb";
  app_ = program.substr(program.find_last_of('/') + 1);
  words_.push_back(program);
  int next = 1;
  if (argc > 1 && argv[1][0] != '-') case_file_ = argv[next++];
  for (bool takes_value = false; next < argc; ++next) {
    const std::string word = argv[next];
    if (asks_for_help(word)) {
      wants_help_ = true;
      takes_value = false;
    } else if (is_option(word) || takes_value) {
      takes_value = is_option(word);
      words_.push_back(word);
    } else {
      stray_.push_back(word);
    }
  }
  if (case_file_.empty() && stray_.size() == 1 && is_case_name(stray_[0])) {
    case_file_ = stray_[0];
    stray_.clear();
  }
  for (auto& word : words_) pointers_.push_back(word.data());
  pointers_.push_back(nullptr);
  argc_ = static_cast<int>(words_.size());
  argv_ = pointers_.data();
}

void load_case(MPI_Comm comm, CommandLine& line) {
  if (!line.stray().empty())
    throw core::BadInput(
        fmt::format("the word {} belongs to no option (one case file may be given: the first word, or NAME.yaml)",
                    line.stray().front()));
  if (line.case_file().empty()) return;
  std::string text;
  core::on_first(comm, [&] { text = read_text(line.case_file()); });
  text = core::broadcast(comm, std::move(text));
  try {
    core::check(PetscOptionsInsertStringYAML(nullptr, text.c_str()));
  } catch (const core::LibraryError& error) {
    throw core::BadInput(fmt::format("no valid YAML: {}", error.what()));
  }
  // What the command line says wins.
  core::check(PetscOptionsInsertArgs(nullptr, line.argc() - 1, line.argv() + 1));
}

} // namespace rhumb::run
