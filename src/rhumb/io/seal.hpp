#pragma once
/// The seal of a checkpoint: its first bytes, which HDF5 leaves to us, hold the file's size and a checksum over every
/// byte of it. A file is looked at by HDF5 only after its seal was found good, so that no damage reaches a library that
/// trusts what it reads.

#include <rhumb/io/atomic_file.hpp>

namespace rhumb::io {

/// Room for the seal at the start of the file.
inline constexpr std::uint64_t seal_bytes = 4096;

/// The part of the checksum that the words of `bytes` contribute, when they start at word `first_word` of the file.
/// Parts are added (modulo 2^64) in any order: sum over i of mix(w_i xor mix(i)), mix being a bijection, so that a
/// change in any one word always shows.
std::uint64_t checksum_part(std::uint64_t first_word, std::span<const std::byte> bytes);

/// Whether the file begins as a sealed one does, sound or not.
bool has_seal(const Path& file);

/// Seals a complete file. Collective; throws core::InputOutput on all ranks.
void seal(MPI_Comm comm, const Path& file);

/// Why the seal does not hold, or empty if it does. Collective.
std::string broken_seal(MPI_Comm comm, const Path& file);

} // namespace rhumb::io
