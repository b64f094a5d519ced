#pragma once
/// Files that appear complete or not at all: written beside as `<name>.tmp`, flushed to the disk, then renamed. A kill
/// at any moment leaves the old file or the new one, and perhaps a `.tmp` that the next run removes.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mpi.h>
#include <span>
#include <string>

namespace rhumb::io {

using Path = std::filesystem::path;

/// `<name>.tmp`
Path temporary_path(const Path& file);

/// A file descriptor. Every failure is core::InputOutput naming the file and the system's reason.
class Descriptor {
public:
  /// create: a new file, in place of what has that name; neither it nor `write` goes through a symbolic link, which
  /// somebody may have put there. scratch: `file` is a folder, the file in it has no name and goes when it is closed.
  enum class Mode : std::uint8_t { read, write, create, scratch };
  Descriptor(Path file, Mode mode);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  void read_at(std::uint64_t offset, std::span<std::byte> bytes);
  /// Makes sure that the disk has room for the first `size` bytes.
  void reserve(std::uint64_t size);
  std::uint64_t size();
  /// Until the bytes are on the disk.
  void sync();
  /// Closing can report a failed write, which a destructor could not.
  void close();

private:
  Path file_;
  int descriptor_;
};

/// Until the draft of `file` is on the disk.
void make_durable(const Path& file);

/// Renames `<name>.tmp` to `name`.
void rename_draft(const Path& file);

/// Until renamed entries of the folder are on the disk.
void flush_folder(const Path& folder);

/// Renames `<name>.tmp` to `name` and makes the folder's new entry durable. One rank calls it.
void put_in_place(const Path& file);

/// Writes `text` into the draft of `file`. One rank calls it.
void draft_text(const Path& file, const std::string& text);

/// Replaces `file` by `text`, on rank 0. Collective: throws core::InputOutput on all ranks.
void write_text(MPI_Comm comm, const Path& file, const std::string& text);

/// Makes the folder and those above it. Collective: throws core::InputOutput on all ranks.
void make_folder(MPI_Comm comm, const Path& folder);

} // namespace rhumb::io
