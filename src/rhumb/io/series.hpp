#pragma once
/// The index over the snapshots of a run: what each file holds, and the two files that tell ParaView and h5py.

#include <rhumb/grid/geometry.hpp>
#include <rhumb/io/atomic_file.hpp>
#include <functional>
#include <string_view>
#include <utility>

namespace rhumb::io {

/// Values by name, at one time.
using Scalars = std::vector<std::pair<std::string, double>>;

struct FileContents;
class Hdf5File;

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
SnapshotEntry describe_snapshot(const FileContents& contents);

/// The text of series.xdmf: a temporal collection, one DataItem per dataset, never a hyperslab.
std::string xdmf_begin();
std::string xdmf_of(const SnapshotEntry& entry);
std::string xdmf_end();

/// The number of a row of scalars that stands between two snapshots.
constexpr long no_snapshot = -1;

/// What the two files hold of a snapshot, or of the scalars alone (then `xdmf` is empty).
struct IndexRecord {
  long number = 0;
  double time = 0.0;
  long step = 0;
  std::vector<std::pair<std::string, double>> series;
  std::string xdmf;
};
IndexRecord record_of(const SnapshotEntry& entry);

/// Hands the first rows of a series.h5 over, in order; none where there is no such file. Throws core::InputOutput.
void for_each_stored_row(const Path& file, std::uint64_t most, const std::function<void(const IndexRecord&)>& take);

/// The records of all snapshots and rows of scalars so far, in the order of time, in files without names: a run may
/// write millions. One rank has it.
class SeriesIndex {
public:
  explicit SeriesIndex(Path run_folder);
  void add(const IndexRecord& record);
  /// Rows so far.
  std::uint64_t rows() const { return count_; }
  /// Writes the drafts of series.xdmf and of series.h5, in which /snapshots/000012 are external links and
  /// /series/<name> the scalars over /series/time, NaN where a row has none.
  void draft_xdmf();
  void draft_series();

private:
  /// Bytes on their way to a file.
  struct Scratch {
    explicit Scratch(const Path& folder) : file(folder, Descriptor::Mode::scratch) {}
    void append(const std::string& bytes);
    void flush();
    /// All bytes, in pieces.
    void for_each_piece(const std::function<void(std::string_view)>& take);
    Descriptor file;
    std::uint64_t size = 0; ///< in the file
    std::string waiting;
  };
  /// A line in `rows_`.
  struct IndexRow {
    std::int64_t number = 0;
    double time = 0.0;
    std::int64_t step = 0;
    std::vector<std::pair<std::uint32_t, double>> series; ///< which of `names_`, and its value
  };
  void write_lists(Hdf5File& file);
  void for_each_row(const std::function<void(const IndexRow&)>& take);

  Path folder_;
  Scratch xdmf_, rows_;
  std::uint64_t count_ = 0;        ///< of rows
  std::uint64_t snapshots_ = 0;    ///< among them
  std::vector<std::string> names_; ///< of scalars, in order of appearance
};

} // namespace rhumb::io
