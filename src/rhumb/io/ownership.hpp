#pragma once
/// Files in a run's folder that no run has written.

#include <rhumb/io/atomic_file.hpp>

namespace rhumb::io {

/// Throws core::InputOutput that names a file with the name of one of the run's own (run.json, steps.csv, series.h5,
/// series.xdmf) that does not begin as those do. One rank calls it.
void reject_foreign_files(const Path& run_folder);

} // namespace rhumb::io
