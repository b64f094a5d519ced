#pragma once
/// One run of a study: a whole run of this driver with one energy, in a folder of its own. MPI runs; every function is
/// collective over all ranks and gives all of them the same.

#include <rhumb/bdf/statistics.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/io/atomic_file.hpp>
#include <rhumb/run/run.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rhumb::ignite_cases {

/// What the run.json of a run says.
struct Trial {
  double energy = 0.0;
  std::string fate;   ///< "ignited", "died", "open"
  std::string reason; ///< why the run ended
  double t = 0.0, wall_seconds = 0.0;
  long unknowns = 0;
  std::string error_test;
  bdf::Statistics statistics;
  bool whole() const { return reason == "done" || reason == "stopped_by_event"; }
};

/// All of a file; empty where there is none. Throws core::InputOutput.
std::string text_of(const io::Path& file);

/// The run in this folder; nothing where none ended.
std::optional<Trial> read_trial(const io::Path& folder, double energy);

/// Adds the counts of another run.
void add(bdf::Statistics& sum, const bdf::Statistics& other);

/// The driver with these words, the program's name first.
core::ExitCode run_driver(std::vector<std::string> words, const run::Make& make);

} // namespace rhumb::ignite_cases
