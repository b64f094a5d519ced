#include <rhumb/io/atomic_file.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace rhumb::io {

namespace {

[[noreturn]] void fail(const char* what, const Path& file, int error) {
  throw core::InputOutput(
      fmt::format("cannot {} '{}': {}", what, file.string(), std::generic_category().message(error)));
}

int open_scratch(const Path& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return descriptor;
  std::string name = (folder / "scratch.XXXXXX").string(); // a file system without nameless files
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

int open_file(const Path& file, Descriptor::Mode mode) {
  using Mode = Descriptor::Mode;
  if (mode == Mode::create) ::unlink(file.c_str());
  const int flags = mode == Mode::read    ? O_RDONLY
                    : mode == Mode::write ? O_RDWR | O_NOFOLLOW
                                          : O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
  const int descriptor = mode == Mode::scratch ? open_scratch(file) : ::open(file.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(mode == Mode::create || mode == Mode::scratch ? "create" : "open", file, errno);
  return descriptor;
}

} // namespace

Path temporary_path(const Path& file) {
  return file.string() + ".tmp";
}

Descriptor::Descriptor(Path file, Mode mode) : file_(std::move(file)), descriptor_(open_file(file_, mode)) {}

Descriptor::~Descriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Descriptor::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("write", file_, done < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

void Descriptor::read_at(std::uint64_t offset, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("read", file_, errno);
    if (done == 0) throw core::InputOutput(fmt::format("'{}' ends before its contents do", file_.string()));
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

void Descriptor::reserve(std::uint64_t size) {
  if (size == 0) return;
  const int error = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(size));
  if (error == EOPNOTSUPP || error == EINVAL) return; // this file system cannot say; writing will
  if (error != 0) fail("find room for", file_, error);
}

std::uint64_t Descriptor::size() {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("look at", file_, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

void Descriptor::sync() {
  // EINVAL and EROFS: something without a disk behind it, such as a device.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail("write", file_, errno);
}

void Descriptor::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && ::close(descriptor) != 0 && errno != EINTR) fail("close", file_, errno);
}

void rename_draft(const Path& file) {
  if (::rename(temporary_path(file).c_str(), file.c_str()) != 0) fail("rename into place", file, errno);
}

void flush_folder(const Path& folder) {
  Descriptor(folder.empty() ? Path(".") : folder, Descriptor::Mode::read).sync();
}

void put_in_place(const Path& file) {
  rename_draft(file);
  flush_folder(file.parent_path());
}

void make_durable(const Path& file) {
  Descriptor draft(temporary_path(file), Descriptor::Mode::write);
  draft.sync();
  draft.close();
}

void draft_text(const Path& file, const std::string& text) {
  Descriptor descriptor(temporary_path(file), Descriptor::Mode::create);
  descriptor.write_at(0, std::as_bytes(std::span(text)));
  descriptor.close();
}

void write_text(MPI_Comm comm, const Path& file, const std::string& text) {
  core::run_on_root(comm, [&] {
    draft_text(file, text);
    make_durable(file);
    put_in_place(file);
  });
}

void make_folder(MPI_Comm comm, const Path& folder) {
  core::run_on_root(comm, [&] {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!error && !std::filesystem::is_directory(folder)) error = std::make_error_code(std::errc::not_a_directory);
    if (error) fail("make the folder", folder, error.value());
  });
}

} // namespace rhumb::io
