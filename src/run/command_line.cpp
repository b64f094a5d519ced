#include "run/command_line.hpp"

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

/// Rank 0 reads; the others get the text, or what was wrong, and throw as rank 0 does.
std::string read_on_all_ranks(MPI_Comm comm, const std::string& file) {
  int rank = 0;
  core::check_mpi(MPI_Comm_rank(comm, &rank));
  std::string text;
  long state[2] = {0, 0}; // length, failed
  if (rank == 0) {
    try {
      text = read_text(file);
    } catch (const core::BadInput& bad) {
      text = bad.what();
      state[1] = 1;
    }
    state[0] = static_cast<long>(text.size());
  }
  core::check_mpi(MPI_Bcast(state, 2, MPI_LONG, 0, comm));
  text.resize(static_cast<std::size_t>(state[0]));
  core::check_mpi(MPI_Bcast(text.data(), static_cast<int>(state[0]), MPI_CHAR, 0, comm));
  if (state[1] != 0) throw core::BadInput(text);
  return text;
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
  for (auto& word : words_) pointers_.push_back(word.data());
  pointers_.push_back(nullptr);
  argc_ = static_cast<int>(words_.size());
  argv_ = pointers_.data();
}

void load_case(MPI_Comm comm, CommandLine& line) {
  if (!line.stray().empty())
    throw core::BadInput(
        fmt::format("the word {} belongs to no option (only the first word may be a case file)", line.stray().front()));
  if (line.case_file().empty()) return;
  const std::string text = read_on_all_ranks(comm, line.case_file());
  try {
    core::check(PetscOptionsInsertStringYAML(nullptr, text.c_str()));
  } catch (const core::LibraryError& error) {
    throw core::BadInput(fmt::format("no valid YAML: {}", error.what()));
  }
  // What the command line says wins.
  core::check(PetscOptionsInsertArgs(nullptr, line.argc() - 1, line.argv() + 1));
}

} // namespace rhumb::run
