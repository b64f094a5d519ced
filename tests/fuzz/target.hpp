#pragma once
/// What a fuzz target is made of.

#include <string>
#include <string_view>

namespace rhumb::fuzz {

/// The target: uses the input as its parser's users do. It may throw core::BadInput or core::InputOutput; another
/// exception, a crash, a sanitizer's report, more than a second or 256 MiB for one input is a finding.
void test(std::string_view input);

/// Starts MPI and PETSc once; they live until the process ends.
void start_petsc();

/// A file in memory that holds the input, under a name that can be opened. One at a time, and a second one beside it.
enum class MemoryFile : unsigned char { first, second };
std::string memory_file(std::string_view input, MemoryFile which = MemoryFile::first);

} // namespace rhumb::fuzz
