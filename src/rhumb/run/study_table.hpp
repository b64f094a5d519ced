#pragma once
/// The table of a study: `study.csv` with a line for each run, `study.h5` with the numbers of it.

#include <rhumb/run/study_row.hpp>

namespace rhumb::run {

struct StudyTable {
  struct Line {
    std::vector<std::string> values; ///< of the parameters
    StudyRow row;
    std::optional<bool> holds; ///< of a search: the condition
  };
  std::vector<std::string> parameters;
  std::vector<Line> lines;
  bool is_search = false;
};

/// Parameters, reason, t, steps, unknowns, wall_seconds, the condition of a search (yes, no), the figures that are
/// numbers or words, the message.
std::string csv_of(const StudyTable& table);

/// /parameters and /results: a dataset for each column of numbers, an entry for each run, NaN where a run has none.
/// Lists have a second dimension, filled up with NaN. One rank calls it; throws core::InputOutput.
void write_hdf5(const StudyTable& table, const io::Path& file);

} // namespace rhumb::run
