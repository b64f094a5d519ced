#pragma once
/// One HDF5 file written by all ranks, that appears complete or not at all.
///
/// Rank 0 lays the file out with HDF5: groups, attributes, and contiguous datasets whose room is reserved and not
/// filled. Then every rank writes its chunk of each dataset straight to its place. No rank waits in a collective call
/// of a library for one that failed: a full disk is a plain error number on the rank that met it. (HDF5 1.10 over
/// MPI-IO cannot close a file whose metadata does not fit on the disk, and crashes when MPI ends.) The result is an
/// ordinary HDF5 file.

#include <rhumb/io/exchange.hpp>
#include <rhumb/io/hdf5.hpp>
#include <functional>

namespace rhumb::io {

class FileTemplate;

struct Dataset {
  std::string path;
  grid::Dims dims;
  std::vector<Attribute> attributes = {};
  std::variant<std::vector<double>, std::vector<std::int64_t>> chunk = {}; ///< this rank's, see chunk_of
};

struct Group {
  std::string path;
  std::vector<Attribute> attributes;
};

struct FileContents {
  std::vector<Group> groups; ///< made first; "/" is there already
  std::vector<Dataset> datasets;
};

enum class Sealing : std::uint8_t { none, checksum };

/// Whether a rank waits until what it wrote is on the disk.
enum class Flush : std::uint8_t { now, later };

/// Writes `file` beside, as its draft; small files are put together in rank 0's `mould`. On rank 0 it is left to the
/// caller to flush the draft. Collective; throws core::InputOutput on all ranks, and then there is no draft.
void write_draft(MPI_Comm comm, const Path& file, const FileContents& contents, Flush flush,
                 FileTemplate& file_template);

/// `later` on ranks that share a node, and so the system's memory of the file, with rank 0: what it flushes is theirs
/// too. `now` on the others. Collective.
Flush flush_of_drafts(MPI_Comm comm);

/// Writes, flushes and renames. Collective; throws core::InputOutput on all ranks, and then `file` is what it was
/// before. `before_rename` is called
/// on rank 0 when the new file is complete.
void write_together(MPI_Comm comm, const Path& file, const FileContents& contents, Sealing sealing = Sealing::none,
                    const std::function<void()>& before_rename = {});

} // namespace rhumb::io
