#pragma once
/// A small HDF5 file kept in memory from one snapshot to the next. Snapshots of a run differ in their numbers only;
/// building groups, attributes and datasets anew for each takes several times as long as writing the numbers.

#include <rhumb/io/shared_file.hpp>
#include <array>
#include <optional>

namespace rhumb::io {

class FileTemplate {
public:
  /// Whether the contents have the form of what is held: they differ in numbers only.
  bool matches(const FileContents& contents) const;

  /// Takes on the form of the contents. `laid_out` is a file of that form, as HDF5 left it on the disk.
  void adopt(const Path& laid_out, const FileContents& contents);

  /// Puts the attributes of contents that fit in. Returns all bytes of the file; the datasets' numbers may be filled
  /// in.
  std::span<std::byte> fill(const FileContents& contents);

  /// Where each dataset starts.
  std::span<const std::uint64_t> starts() const { return starts_; }

private:
  /// HDF5's first bytes. In a file that is still open, as ours is, they say so; these are of one that was closed.
  static constexpr std::size_t superblock_size = 48;

  std::optional<Hdf5File> hdf5_;
  FileContents layout_; ///< what is in the file, the datasets without numbers
  std::vector<std::uint64_t> starts_;
  std::array<std::byte, superblock_size> superblock_{};
  std::size_t size_ = 0; ///< of the file; what HDF5 holds in memory is rounded up
};

/// Groups, attributes and datasets without their numbers; returns where each dataset starts.
std::vector<std::uint64_t> lay_out(Hdf5File& hdf5, const FileContents& contents);

} // namespace rhumb::io
