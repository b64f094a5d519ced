#pragma once
/// The index over the snapshots of a run: what each file holds, and the two files that tell ParaView and h5py.

#include "grid/geometry.hpp"
#include "io/atomic_file.hpp"
#include <utility>

namespace rhumb::io {

struct Contents;

/// A dataset under /fields.
struct FieldEntry {
  std::string name;
  std::string location;
  std::uint64_t components = 1;
  grid::Dims dims;
};

/// What the index needs to know of a snapshot.
struct SnapshotEntry {
  long number = 0;
  double time = 0.0;
  long step = 0;
  std::string mesh;                                        ///< "none", "box", "moving", "unstructured"
  std::vector<std::pair<std::string, std::uint64_t>> axes; ///< of a box: name and points, x first
  std::uint64_t points = 0;                                ///< in /mesh/points
  long points_in = 0;                                      ///< number of the snapshot that holds them
  std::uint64_t cells = 0;
  std::string shape;            ///< of the cells, XDMF's word; "Mixed" where there are several
  std::uint64_t topology = 0;   ///< entries of /mesh/topology
  std::uint64_t cell_nodes = 0; ///< nodes per cell where there is one shape
  std::vector<FieldEntry> fields;
  std::vector<std::pair<std::string, double>> series; ///< scalars at this time
};

/// "000012.h5"
std::string snapshot_name(long number);

/// Reads a snapshot's entry from the file. Throws core::InputOutput.
SnapshotEntry describe_snapshot(const Path& file);
/// The same from what goes into the file.
SnapshotEntry describe_snapshot(const Contents& contents);

/// The text of series.xdmf: a temporal collection, one DataItem per dataset, never a hyperslab.
std::string xdmf(const std::vector<SnapshotEntry>& entries);

/// Writes the draft of series.h5 in `run_folder`: /snapshots/000012 are external links, /series/<name> the scalars over
/// /series/time. One rank calls it.
void draft_series(const Path& run_folder, const std::vector<SnapshotEntry>& entries);

} // namespace rhumb::io
