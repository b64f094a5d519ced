/// Checkpoints with a seal that holds and other bytes behind it. A valid one is written once; the input is a list of
/// changes, six bytes each: a position (32 bits), how many bytes are set (1, 2, 4 or 8), and the byte that fills them.
/// HDF5's metadata are a small part of the file, so positions are taken from the pages that hold it.

#include "target.hpp"
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/io/checkpoint.hpp>
#include <rhumb/io/seal.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace rhumb::fuzz {

namespace {
constexpr PetscInt unknowns = 3;
constexpr std::size_t bytes_per_change = 6;

const io::Identity& identity() {
  static const io::Identity ball{"rhumb-dae", "bounce", unknowns, ""};
  return ball;
}

core::VecHandle create_vector() {
  core::VecHandle vector;
  core::check(VecCreateMPI(PETSC_COMM_WORLD, unknowns, PETSC_DETERMINE, vector.out()));
  return vector;
}

/// In memory where there is such a file system; gone after every input, since a fuzzer may end the process at any time.
class ScratchFolder {
public:
  ScratchFolder() { std::filesystem::create_directories(path); }
  ~ScratchFolder() { std::filesystem::remove_all(path); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const io::Path path = parent() / ("rhumb_fuzz_" + std::to_string(getpid()));

private:
  static io::Path parent() {
    const io::Path shared = "/dev/shm";
    return std::filesystem::is_directory(shared) ? shared : std::filesystem::temp_directory_path();
  }
};

std::string valid_bytes(const io::Path& folder) {
  const core::VecHandle y = create_vector(), ydot = create_vector();
  core::check(VecSet(y, 1.5));
  core::check(VecSet(ydot, -0.5));
  io::CheckpointStore store(PETSC_COMM_WORLD, folder, identity(), {});
  const io::Path file = store.write({.t = 0.5,
                                     .step = 7,
                                     .scalars = {{"h", 0.01}, {"order", 2.0}, {"run.served_through", 0.5}},
                                     .vectors = {{"y", y}, {"ydot", ydot}},
                                     .system_state = {1.0, 1e-9}},
                                    {});
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void change(std::string& bytes, std::string_view input) {
  for (; input.size() >= bytes_per_change; input.remove_prefix(bytes_per_change)) {
    std::uint32_t position = 0;
    std::memcpy(&position, input.data(), sizeof position);
    const std::size_t begin = io::seal_bytes + position % (bytes.size() - io::seal_bytes);
    const std::size_t count = std::size_t{1} << (static_cast<unsigned char>(input[4]) % 4U);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), std::min(count, bytes.size() - begin), input[5]);
  }
}
} // namespace

void test(std::string_view input) {
  start_petsc();
  const ScratchFolder folder;
  static const std::string valid = valid_bytes(folder.path);
  std::string bytes = valid;
  change(bytes, input);
  const io::Path file = folder.path / "000000007.h5";
  std::ofstream(file, std::ios::binary) << bytes;
  io::seal(PETSC_COMM_WORLD, file);
  io::read_checkpoint(PETSC_COMM_WORLD, file, identity(), {}, create_vector);
}

} // namespace rhumb::fuzz
