/// The main of a target without libFuzzer: feeds it every file of a corpus, and, when seconds are given, mutations of
/// these files for so long. The input at work is kept in a file, so that a crash leaves it behind.
///
///   fuzz_formula CORPUS [SECONDS [SEED]]

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                                     std::size_t max_size, unsigned seed);

namespace {
using Random = std::mt19937_64;

constexpr std::size_t max_size = 16384;        ///< of a mutated input
constexpr long max_memory_of_one = 256 * 1024; ///< KiB
constexpr unsigned max_seconds_of_one = 60;    ///< a hang; one_input.cpp measures processor time more strictly
constexpr std::size_t max_kept = 2000;         ///< mutations that are mutated again

std::size_t below(Random& random, std::size_t end) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

Random& random_of_mutations() {
  static Random random;
  return random;
}

/// Where the input is while the target has it; it stays when the process dies. The file is kept open: closing one that
/// was emptied waits for the disk on some file systems, twenty times as long as a parser takes.
class InputAtWork {
public:
  InputAtWork()
      : path_(std::filesystem::temp_directory_path() / ("fuzz_input_" + std::to_string(getpid()))),
        file_(open(path_.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600)) {}
  ~InputAtWork() { remove(); }
  InputAtWork(const InputAtWork&) = delete;
  InputAtWork& operator=(const InputAtWork&) = delete;
  void write(const std::string& input) {
    const auto size = static_cast<ssize_t>(input.size());
    if (pwrite(file_, input.data(), input.size(), 0) != size || ftruncate(file_, size) != 0) {
      std::perror(path_.c_str());
      std::abort();
    }
  }
  void remove() const { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
  int file_;
};

long peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void feed(InputAtWork& at_work, const std::string& input) {
  at_work.write(input);
  const long before = peak_memory();
  alarm(max_seconds_of_one);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  alarm(0);
  if (peak_memory() - before > max_memory_of_one) {
    std::fprintf(stderr, "one input took %ld KiB\n", peak_memory() - before);
    std::abort();
  }
}

std::vector<std::string> read_corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& item : std::filesystem::directory_iterator(folder)) files.push_back(item.path());
  std::ranges::sort(files);
  std::vector<std::string> inputs;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return inputs;
}

std::string mutated(std::string input, Random& random) {
  std::size_t size = std::min(input.size(), max_size);
  input.resize(max_size);
  auto* bytes = reinterpret_cast<std::uint8_t*>(input.data());
  extern std::size_t mutate_bytes(std::uint8_t*, std::size_t, std::size_t);
  for (std::size_t count = 1 + below(random, 4); count > 0; --count)
    size = LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(bytes, size, max_size, static_cast<unsigned>(random()))
                                   : mutate_bytes(bytes, size, max_size);
  input.resize(size);
  return input;
}

/// A byte changed, inserted or removed.
std::size_t mutate_bytes(std::uint8_t* data, std::size_t size, std::size_t limit) {
  Random& random = random_of_mutations();
  const auto byte = static_cast<std::uint8_t>(random());
  const std::size_t at = below(random, size + 1);
  const std::size_t kind = below(random, 3);
  if (kind == 0 && size < limit) {
    std::copy_backward(data + at, data + size, data + size + 1);
    data[at] = byte;
    return size + 1;
  }
  if (at == size) return size;
  if (kind == 1) {
    std::copy(data + at + 1, data + size, data + at);
    return size - 1;
  }
  data[at] = byte;
  return size;
}
} // namespace

/// libFuzzer's function, for the mutators of targets.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t limit) {
  return mutate_bytes(data, size, limit);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s CORPUS [SECONDS [SEED]]\n", argv[0]);
    return 2;
  }
  std::vector<std::string> inputs = read_corpus(argv[1]);
  if (inputs.empty()) {
    std::fprintf(stderr, "%s: no corpus in %s\n", argv[0], argv[1]);
    return 2;
  }
  InputAtWork at_work;
  std::fprintf(stderr, "the input at work: %s\n", at_work.path().c_str());
  for (const auto& input : inputs) feed(at_work, input);
  std::size_t executions = inputs.size();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(argc > 2 ? std::atoi(argv[2]) : 0);
  Random& random = random_of_mutations();
  random.seed(argc > 3 ? static_cast<std::uint64_t>(std::atoll(argv[3])) : 1);
  const std::size_t seeds = inputs.size();
  for (; std::chrono::steady_clock::now() < end; ++executions) {
    std::string input = mutated(inputs[below(random, inputs.size())], random);
    feed(at_work, input);
    // Changes upon changes, but always near some seed.
    if (inputs.size() < seeds + max_kept)
      inputs.push_back(std::move(input));
    else
      inputs[seeds + below(random, max_kept)] = mutated(inputs[below(random, seeds)], random);
  }
  std::printf("%zu files, %zu executions\n", seeds, executions);
  std::fflush(stdout);
  at_work.remove();
  _exit(0); // MPI is not ended: a target may have started it
}
