#include <rhumb/io/folder_lock.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace rhumb::io {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

struct Holder {
  std::string host;
  long process = 0;
};

/// Nothing when the file is empty or no lock of ours.
std::optional<Holder> read_holder(int descriptor) {
  std::array<char, 512> bytes{};
  const ssize_t size = ::pread(descriptor, bytes.data(), bytes.size() - 1, 0);
  std::istringstream words(std::string(bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0));
  std::string host_word, process_word;
  Holder holder;
  if (!(words >> host_word >> holder.host >> process_word >> holder.process)) return std::nullopt;
  if (host_word != "host" || process_word != "process") return std::nullopt;
  return holder;
}

[[noreturn]] void reject(const Path& file, const std::optional<Holder>& holder, const std::string& why) {
  const std::string who = holder ? fmt::format("process {} on {}", holder->process, holder->host) : "another process";
  throw core::InputOutput(
      fmt::format("'{}' is in use by {}{}; take another -out", file.parent_path().string(), who, why));
}

[[noreturn]] void fail(const char* what, const Path& file, int error) {
  throw core::InputOutput(
      fmt::format("cannot {} '{}': {}", what, file.string(), std::generic_category().message(error)));
}

bool is_alive(long process) {
  return ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM;
}

} // namespace

FolderLock::FolderLock(MPI_Comm comm, const Path& folder) : file_(folder / "run.lock") {
  core::run_on_root(comm, [&] { acquire(); });
}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str()); // while it is still locked: nobody loses a lock that was just taken
  ::close(descriptor_);
}

void FolderLock::acquire() {
  constexpr int max_tries = 100; // each means that another run ended in between
  for (int i = 0; i < max_tries; ++i)
    if (try_acquire()) return;
  reject(file_, std::nullopt, "");
}

/// False when the file was removed, by a run that ended, before it could be locked.
bool FolderLock::try_acquire() {
  const int descriptor = ::open(file_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (descriptor < 0) fail("create", file_, errno);
  descriptor_ = descriptor;
  const auto holder = read_holder(descriptor);
  const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  const int error = locked ? 0 : errno;
  const auto give_back = [&] { ::close(std::exchange(descriptor_, -1)); };
  if (!locked && error == EWOULDBLOCK) {
    give_back();
    reject(file_, holder, "");
  }
  // A file system without locks: what the file says must do.
  const bool here = !holder || holder->host == host_name();
  if (!here) {
    give_back();
    reject(file_, holder, fmt::format(", says '{}'. If that run is over, remove that file", file_.string()));
  }
  if (!locked && holder && holder->process != ::getpid() && is_alive(holder->process)) {
    give_back();
    reject(file_, holder, "");
  }
  struct stat opened {
  }, named{};
  if (::fstat(descriptor, &opened) != 0 || ::stat(file_.c_str(), &named) != 0 || opened.st_ino != named.st_ino) {
    give_back();
    return false;
  }
  const std::string text = fmt::format("host {} process {}\n", host_name(), ::getpid());
  if (!S_ISREG(opened.st_mode) || ::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    const int reason = errno;
    give_back();
    fail("write", file_, reason);
  }
  return true;
}

} // namespace rhumb::io
