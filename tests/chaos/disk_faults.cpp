/// A disk that goes wrong, for a program that does not know: preloaded (LD_PRELOAD), it stands before the calls that
/// change files below one folder.
///
///   RHUMB_DISK_FOLDER  where; files elsewhere are left alone
///   RHUMB_DISK_FAULT   full (ENOSPC), readonly (EROFS), broken (EIO), slow (every call takes some milliseconds)
///   RHUMB_DISK_AFTER   so many calls go well first

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string_view>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr long slow_nanoseconds = 3'000'000;

std::string_view setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool is_below(std::string_view path) {
  const std::string_view folder = setting("RHUMB_DISK_FOLDER");
  return !folder.empty() && path.starts_with(folder);
}

bool is_below(int descriptor) {
  std::array<char, 64> link{};
  std::array<char, PATH_MAX> path{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", descriptor);
  const ssize_t size = readlink(link.data(), path.data(), path.size());
  return size > 0 && is_below(std::string_view(path.data(), static_cast<std::size_t>(size)));
}

/// What this call comes to: 0, or an error number.
int fate() {
  static std::atomic<long> calls{0};
  const std::string_view fault = setting("RHUMB_DISK_FAULT");
  if (fault == "slow") {
    const timespec pause{0, slow_nanoseconds};
    nanosleep(&pause, nullptr);
    return 0;
  }
  if (calls++ < std::atol(setting("RHUMB_DISK_AFTER").data())) return 0;
  return fault == "full" ? ENOSPC : fault == "readonly" ? EROFS : fault == "broken" ? EIO : 0;
}

/// Whether the call on what is below the folder fails; errno is set.
template <class Where>
bool fails(const Where& where) {
  const int before = errno;
  const int error = is_below(where) ? fate() : 0;
  errno = error == 0 ? before : error;
  return error != 0;
}

} // namespace

extern "C" {

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  return fails(file) ? -1 : next<decltype(&pwrite)>("pwrite")(file, bytes, size, at);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  return fails(file) ? -1 : next<decltype(&pwrite64)>("pwrite64")(file, bytes, size, at);
}

ssize_t write(int file, const void* bytes, size_t size) {
  return fails(file) ? -1 : next<decltype(&write)>("write")(file, bytes, size);
}

int posix_fallocate(int file, off_t at, off_t size) {
  return fails(file) ? errno : next<decltype(&posix_fallocate)>("posix_fallocate")(file, at, size);
}

int fsync(int file) {
  return fails(file) ? -1 : next<decltype(&fsync)>("fsync")(file);
}

int rename(const char* from, const char* to) {
  return fails(std::string_view(to)) ? -1 : next<decltype(&rename)>("rename")(from, to);
}

int unlink(const char* path) {
  return fails(std::string_view(path)) ? -1 : next<decltype(&unlink)>("unlink")(path);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = va_arg(more, mode_t);
  va_end(more);
  if ((flags & O_CREAT) != 0 && fails(std::string_view(path))) return -1;
  return next<int (*)(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = va_arg(more, mode_t);
  va_end(more);
  if ((flags & O_CREAT) != 0 && fails(std::string_view(path))) return -1;
  return next<int (*)(const char*, int, ...)>("open64")(path, flags, mode);
}

} // extern "C"
