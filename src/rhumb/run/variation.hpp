#pragma once
/// What a study varies: options, each with its values, and which of their combinations are run. Pure: no PETSc, no MPI.
///
///   parse_variations("re=100,400,1000; n=(64,64),(128,128)")   lists; a value with commas stands in parentheses
///   parse_variations("re=100:1000:4")                          4 values, evenly from end to end
///   parse_variations("re=10:1000:3:log")                       3 values, evenly in their logarithms: 10, 100, 1000

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::run {

/// One option and its values.
struct Variation {
  std::string name; ///< without the dash
  std::vector<std::string> values;
  /// low:high, two ends without a count: where a search looks. `values` are the two ends.
  bool is_interval = false;
};

/// Between them ';'. Throws core::BadInput where the text is none, a value comes twice, or a name does.
std::vector<Variation> parse_variations(const std::string& text);

enum class Combine : std::uint8_t {
  all,    ///< every value with every other; the last option's change fastest
  beside, ///< the first values of all, then the second ones, ...
};

/// The values of each run, in the order of the variations. Throws core::BadInput where lists beside each other differ
/// in length, or an interval has no count.
std::vector<std::vector<std::string>> combinations(const std::vector<Variation>& variations, Combine combine);

/// `re_100_n_64-64`: the folder of the run with these values. Characters that a shell or a file system gives a meaning
/// become '-'; a name longer than file systems take ends in a checksum.
std::string folder_name(const std::vector<Variation>& variations, const std::vector<std::string>& values);

} // namespace rhumb::run
