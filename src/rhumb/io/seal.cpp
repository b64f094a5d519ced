#include <rhumb/io/seal.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace rhumb::io {

namespace {

/// The first 40 bytes of a sealed file; zeros follow up to `seal_bytes`.
struct Seal {
  std::array<char, 24> title{};
  std::uint64_t size = 0;
  std::uint64_t checksum = 0;
};

constexpr std::array<char, 24> title{'r', 'h', 'u', 'm', 'b', ' ', 'c', 'h', 'e', 'c',
                                     'k', 'p', 'o', 'i', 'n', 't', ' ', '1', '\n'};
constexpr std::uint64_t checksum_word = offsetof(Seal, checksum) / 8;
constexpr std::uint64_t read_size = 4 << 20;

/// A bijection of 64-bit words in which every input bit moves about half of the output bits.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::uint64_t contribution(std::uint64_t position, std::uint64_t word) {
  return mix(word ^ mix(position + 0x9e3779b97f4a7c15U));
}

/// Checksum of this rank's share of the file.
std::uint64_t share_of_checksum(Descriptor& file, std::uint64_t size, int rank, int ranks) {
  std::vector<std::byte> bytes;
  std::uint64_t sum = 0;
  const std::uint64_t stride = read_size * static_cast<std::uint64_t>(ranks);
  for (std::uint64_t at = read_size * static_cast<std::uint64_t>(rank); at < size; at += stride) {
    bytes.resize(std::min(read_size, size - at));
    file.read_at(at, bytes);
    sum += checksum_part(at / 8, bytes);
  }
  return sum;
}

std::uint64_t total(MPI_Comm comm, std::uint64_t part) {
  std::uint64_t sum = 0;
  core::check_mpi(MPI_Allreduce(&part, &sum, 1, MPI_UINT64_T, MPI_SUM, comm));
  return sum;
}

Seal read_seal(Descriptor& file) {
  Seal found;
  file.read_at(0, std::as_writable_bytes(std::span(&found, 1)));
  return found;
}

void write_seal(Descriptor& file, const Seal& made) {
  file.write_at(0, std::as_bytes(std::span(&made, 1)));
}

} // namespace

std::uint64_t checksum_part(std::uint64_t first_word, std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::uint64_t position = first_word; !bytes.empty(); ++position) {
    std::uint64_t word = 0;
    const std::size_t length = std::min<std::size_t>(bytes.size(), 8);
    std::memcpy(&word, bytes.data(), length);
    sum += contribution(position, word);
    bytes = bytes.subspan(length);
  }
  return sum;
}

bool has_seal(const Path& file) {
  try {
    Descriptor descriptor(file, Descriptor::Mode::read);
    return read_seal(descriptor).title == title;
  } catch (const core::InputOutput&) {
    return false;
  }
}

void seal(MPI_Comm comm, const Path& file) {
  core::run_on_root(comm, [&] {
    Descriptor descriptor(file, Descriptor::Mode::write);
    const std::vector<std::byte> zeros(seal_bytes);
    descriptor.write_at(0, zeros);
    write_seal(descriptor, {title, descriptor.size(), 0});
    descriptor.close();
  });
  std::uint64_t part = 0;
  core::run_and_agree(comm, [&] {
    Descriptor descriptor(file, Descriptor::Mode::read);
    part = share_of_checksum(descriptor, descriptor.size(), core::rank_of(comm), core::size_of(comm));
  });
  const std::uint64_t sum = total(comm, part);
  core::run_on_root(comm, [&] {
    Descriptor descriptor(file, Descriptor::Mode::write);
    write_seal(descriptor, {title, descriptor.size(), sum});
    descriptor.sync();
    descriptor.close();
  });
}

std::string broken_seal(MPI_Comm comm, const Path& file) {
  std::uint64_t part = 0;
  Seal found;
  try {
    core::run_and_agree(comm, [&] {
      Descriptor descriptor(file, Descriptor::Mode::read);
      found = read_seal(descriptor);
      if (found.title != title) throw core::InputOutput("it does not begin as a checkpoint does");
      if (found.size != descriptor.size()) throw core::InputOutput("it is not as long as when it was written");
      part = share_of_checksum(descriptor, found.size, core::rank_of(comm), core::size_of(comm));
    });
  } catch (const core::InputOutput& reason) {
    return reason.what();
  }
  // The checksum was taken while its own word was zero.
  const std::uint64_t expected =
      found.checksum - contribution(checksum_word, 0) + contribution(checksum_word, found.checksum);
  return total(comm, part) == expected ? "" : "its checksum is wrong: bytes have changed since it was written";
}

} // namespace rhumb::io
