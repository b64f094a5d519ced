#include <rhumb/io/isolated.hpp>

#include <rhumb/core/failure.hpp>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace rhumb::io {

namespace {

/// Between two records.
constexpr unsigned max_seconds = 120;
/// Beyond what the program has when the child begins.
constexpr rlim_t max_memory = rlim_t{4} << 30U;
/// A longer record is no record.
constexpr std::uint64_t max_record = std::uint64_t{1} << 32U;

/// The first byte of what the child sends says what it is.
enum class Kind : char { record = 'r', bad_input = 'b', failure = 'f', end = 'e' };

bool write_all(int pipe, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::write(pipe, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

bool read_all(int pipe, char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::read(pipe, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

void send(int pipe, Kind kind, const std::string& text) {
  const std::uint64_t size = text.size();
  const bool sent = write_all(pipe, reinterpret_cast<const char*>(&kind), 1) &&
                    write_all(pipe, reinterpret_cast<const char*>(&size), sizeof size) &&
                    write_all(pipe, text.data(), text.size());
  if (!sent) _exit(1); // the parent is gone
  alarm(max_seconds);
}

/// A crash is a crash (the handlers belong to the run), who wants to stop the run tells the parent, nothing is printed,
/// and memory has a limit.
void confine() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) std::signal(signal, SIG_DFL);
  for (const int signal : {SIGTERM, SIGUSR1, SIGINT, SIGQUIT}) std::signal(signal, SIG_IGN);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  unsigned long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    const bool known = std::fscanf(file, "%lu", &pages) == 1; // NOLINT(cert-err34-c): the kernel's own number
    std::fclose(file);
    const rlim_t limit = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + max_memory;
    const rlimit memory{limit, limit};
    if (known) setrlimit(RLIMIT_AS, &memory);
  }
  alarm(max_seconds);
}

[[noreturn]] void be_child(int pipe, const std::function<void(const Send&)>& body) {
  confine();
  try {
    body([&](const std::string& record) { send(pipe, Kind::record, record); });
    send(pipe, Kind::end, "");
  } catch (const core::BadInput& error) {
    send(pipe, Kind::bad_input, error.what());
  } catch (...) {
    send(pipe, Kind::failure, core::message_of_current_exception());
  }
  _exit(0); // nothing of the parent's is flushed or finalized twice
}

/// How the child ended, in words, unless it ended well.
std::string end_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return "";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return fmt::format("reading it came to no end in {} s", max_seconds);
  if (WIFSIGNALED(status)) return fmt::format("HDF5 crashes on it ({})", strsignal(WTERMSIG(status)));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("reading it failed with status {}", WEXITSTATUS(status));
}

class ChildPipe {
public:
  ChildPipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw core::InputOutput("cannot make a pipe: " + std::generic_category().message(errno));
  }
  ~ChildPipe() {
    close_writing();
    ::close(ends_[0]);
  }
  ChildPipe(const ChildPipe&) = delete;
  ChildPipe& operator=(const ChildPipe&) = delete;
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

private:
  std::array<int, 2> ends_{-1, -1};
};

/// Hands records on until the child says how it ended; its last word, or a failure where it fell silent.
std::pair<Kind, std::string> listen(int pipe, const std::function<void(std::string)>& take) {
  for (;;) {
    Kind kind{};
    std::uint64_t size = 0;
    std::string text;
    if (!read_all(pipe, reinterpret_cast<char*>(&kind), 1)) return {Kind::failure, ""};
    if (!read_all(pipe, reinterpret_cast<char*>(&size), sizeof size) || size > max_record) return {Kind::failure, ""};
    text.resize(size);
    if (!read_all(pipe, text.data(), size)) return {Kind::failure, ""};
    if (kind != Kind::record) return {kind, text};
    take(std::move(text));
  }
}

} // namespace

void run_isolated(const std::function<void(const Send&)>& body, const std::function<void(std::string record)>& take) {
  ChildPipe pipe;
  const pid_t child = ::fork();
  if (child < 0) throw core::InputOutput("cannot start a process: " + std::generic_category().message(errno));
  if (child == 0) be_child(pipe.writing(), body);
  pipe.close_writing();
  std::pair<Kind, std::string> last;
  try {
    last = listen(pipe.reading(), take);
  } catch (...) {
    ::kill(child, SIGKILL);
    end_of(child);
    throw;
  }
  const std::string end = end_of(child);
  if (last.first == Kind::bad_input) throw core::BadInput(last.second);
  if (last.first == Kind::failure && !last.second.empty()) throw core::InputOutput(last.second);
  if (last.first != Kind::end) throw core::InputOutput(end.empty() ? "reading it ended too early" : end);
}

} // namespace rhumb::io
