#include <rhumb/core/input_file.hpp>

#include <rhumb/core/failure.hpp>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rhumb::core {

namespace {
class Input {
public:
  Input(const std::string& file, std::size_t max_size, const std::string& what) : file_(file) {
    if (file.find('\0') != std::string::npos) throw BadInput("a file's name holds a NUL: " + file);
    // Without O_NONBLOCK opening a FIFO would wait for somebody who writes into it.
    descriptor_ = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor_ < 0) throw BadInput(fmt::format("{}: {}", file, std::strerror(errno)));
    try {
      look(max_size, what);
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
  }
  ~Input() { ::close(descriptor_); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// What the file holds now; it may have shrunk since it was looked at, and what was added is not read.
  std::string read() const {
    std::string text(size_, '\0');
    std::size_t have = 0;
    while (have < size_) {
      const ssize_t got = ::read(descriptor_, text.data() + have, size_ - have);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw BadInput(fmt::format("{} cannot be read: {}", file_, std::strerror(errno)));
      if (got == 0) break;
      have += static_cast<std::size_t>(got);
    }
    text.resize(have);
    return text;
  }

private:
  void look(std::size_t max_size, const std::string& what) {
    struct stat about {};
    if (::fstat(descriptor_, &about) != 0) throw BadInput(fmt::format("{}: {}", file_, std::strerror(errno)));
    if (S_ISDIR(about.st_mode)) throw BadInput(fmt::format("{} is a folder, not {}", file_, what));
    if (!S_ISREG(about.st_mode)) throw BadInput(fmt::format("{} is no regular file, {} must be one", file_, what));
    size_ = static_cast<std::size_t>(about.st_size);
    if (size_ > max_size)
      throw BadInput(fmt::format("{} has {} bytes, too large for {} (at most {})", file_, size_, what, max_size));
  }

  const std::string& file_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
};
} // namespace

std::string read_input_file(const std::string& file, std::size_t max_size, const std::string& what) {
  return Input(file, max_size, what).read();
}

void check_input_file(const std::string& file, std::size_t max_size, const std::string& what) {
  const Input input(file, max_size, what);
}

} // namespace rhumb::core
