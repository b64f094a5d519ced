#pragma once
/// One run of a study as a row of its table, and the file `row.txt` in the run's folder that holds it: written when the
/// run is over, whole or not at all, so that a study that goes on knows which runs are done.

#include <rhumb/io/atomic_file.hpp>
#include <rhumb/run/solution.hpp>
#include <optional>

namespace rhumb::run {

struct StudyRow {
  Ending ending;
  double t = 0.0, t_start = 0.0, t_end = 0.0;
  double wall_seconds = 0.0;
  long unknowns = 0;
  std::string error_test;
  bdf::Statistics statistics;
  dae::Figures results;

  bool failed() const { return ending.code != core::ExitCode::done; }
  /// The same input would end the same way. A full disk or a signal may be gone.
  bool is_final() const;
  /// `t`, `steps` and the run's figures: what a condition can be about.
  dae::Figures figures() const;
};

StudyRow row_of(const Solution& solution);

/// As text, with all digits, and back; nothing where the text is no row.
std::string row_text(const StudyRow& row);
std::optional<StudyRow> parse_row(const std::string& text);

/// The row in a run's folder; nothing where there is none, or where it is of another run than the run.json beside it.
/// One rank calls it.
std::optional<StudyRow> read_row(const io::Path& folder);
/// Collective over the ranks of the run; the folder is made where there is none. Throws core::InputOutput.
void write_row(MPI_Comm comm, const io::Path& folder, const StudyRow& row);

/// Adds the counts of another run.
void add(bdf::Statistics& sum, const bdf::Statistics& other);

} // namespace rhumb::run
