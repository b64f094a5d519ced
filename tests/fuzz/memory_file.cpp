#include "target.hpp"
#include <cstdlib>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace rhumb::fuzz {

std::string memory_file(std::string_view input, MemoryFile which) {
  static const int files[] = {memfd_create("input", MFD_CLOEXEC), memfd_create("input", MFD_CLOEXEC)};
  const int file = files[static_cast<unsigned char>(which)];
  const auto size = static_cast<ssize_t>(input.size());
  if (file < 0 || ftruncate(file, size) != 0 || pwrite(file, input.data(), input.size(), 0) != size) std::abort();
  return fmt::format("/proc/self/fd/{}", file);
}

} // namespace rhumb::fuzz
