#pragma once
/// A folder that all ranks share and that goes when the test ends.

#include <rhumb/core/agreement.hpp>
#include <rhumb/io/atomic_file.hpp>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace rhumb::samples {

class ScratchFolder {
public:
  explicit ScratchFolder(MPI_Comm comm) : comm_(comm) {
    std::string name = (std::filesystem::temp_directory_path() / "rhumb-io-XXXXXX").string();
    if (core::rank_of(comm) == 0 && !mkdtemp(name.data())) name.clear();
    path_ = core::broadcast(comm, name);
  }
  ~ScratchFolder() {
    MPI_Barrier(comm_);
    std::error_code ignored;
    if (core::rank_of(comm_) == 0) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const io::Path& path() const { return path_; }
  io::Path operator/(const std::string& name) const { return path_ / name; }

private:
  MPI_Comm comm_;
  io::Path path_;
};

inline std::string bytes_of(const io::Path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_bytes(const io::Path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

} // namespace rhumb::samples
