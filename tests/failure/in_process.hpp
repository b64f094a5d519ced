#pragma once
/// Whole runs of the faulty problem, many to a process.

#include "faulty_decay.hpp"
#include <rhumb/core/check.hpp>
#include <rhumb/run/program.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace rhumb::test {

/// In memory where there is such a place: some hundred runs need not wait for a disk.
inline std::string folder() {
  const char* memory = "/dev/shm";
  const std::string base =
      std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path().string();
  int process = static_cast<int>(getpid());
  core::check_mpi(MPI_Bcast(&process, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  return fmt::format("{}/rhumb_faults_{}", base, process);
}

/// What a run left behind. The same on all ranks.
struct Left {
  core::ExitCode code;
  std::string errors; ///< what this rank printed
  std::string json;   ///< run.json
  double number(const std::string& key) const {
    const auto at = json.find("\"" + key + "\": ");
    return at == std::string::npos ? NAN : std::strtod(json.c_str() + at + key.size() + 4, nullptr);
  }
  bool says(const std::string& text) const { return json.find(text) != std::string::npos; }
};

/// Runs the program inside this process's session, as main would.
inline Left run_with(std::vector<std::string> words) {
  words.insert(words.begin(), "faulty");
  words.insert(words.end(), {"-quiet", "-out", folder()});
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  run::CommandLine line(static_cast<int>(pointers.size()), pointers.data());
  std::filesystem::remove(folder() + "/run.json");
  core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD));
  const run::Make make = [](MPI_Comm comm, const core::Options& options) {
    return std::make_unique<test::FaultyDecay>(comm, options);
  };
  testing::internal::CaptureStderr();
  const core::ExitCode code = run::Program(PETSC_COMM_WORLD, line, make, run::Caller{line.app()}).execute();
  const std::string errors = testing::internal::GetCapturedStderr();
  std::ifstream file(folder() + "/run.json");
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD));
  return {code, errors, json};
}

} // namespace rhumb::test
