#pragma once
/// Files that somebody else may have made: regular ones only (a FIFO would wait for ever, /dev/zero never ends), and no
/// larger than what they can sensibly be. Pure: no PETSc, no MPI.

#include <cstddef>
#include <string>

namespace rhumb::core {

/// Of meshes.
constexpr std::size_t max_mesh_size = std::size_t{1} << 34U;
/// Of mechanisms and netlists: the largest mechanisms published have some 10 MB.
constexpr std::size_t max_text_size = std::size_t{1} << 27U;

/// The whole file. `what` names its kind in messages: "a case file". Throws BadInput that names the file where it
/// cannot be read, is no regular file or is larger than `max_size`.
std::string read_input_file(const std::string& file, std::size_t max_size, const std::string& what);

/// The same checks without reading, for a library that opens the file itself.
void check_input_file(const std::string& file, std::size_t max_size, const std::string& what);

} // namespace rhumb::core
