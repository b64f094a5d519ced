#pragma once
/// Strings that a user typed: strict reading of numbers, and the name that was probably meant. Pure: no PETSc, no MPI.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::core {

/// The number that the whole string spells ("1e-5", "+2", "inf"); nothing when a character is left over, when the
/// number does not fit in a double, or when it is NaN. Independent of the locale.
std::optional<double> parse_real(const std::string& input);

/// The integer that the whole string spells; "1e6" and "20.0" are integers too.
std::optional<long> parse_integer(const std::string& input);

/// yes, true, on, 1 and the empty string (an option without a value); no, false, off, 0. Upper or lower case.
std::optional<bool> parse_flag(const std::string& input);

/// The parts between commas, without the blanks around them. An empty string has none.
std::vector<std::string> split_at_commas(const std::string& input);

/// ASCII letters in lower case.
std::string to_lower(std::string text);

/// Least number of insertions, deletions, substitutions and swaps of neighbours that lead from a to b, where no letter
/// is edited twice (optimal string alignment).
int edit_distance(const std::string& a, const std::string& b);

/// The candidate with the smallest edit distance to `input`; empty when there is none within a third of its length + 1.
std::string nearest(const std::string& input, const std::vector<std::string>& candidates);

/// Whether an argument names an option: a dash, or two, and a letter.
bool is_option(const std::string& input);

/// Options among the arguments of a command line, without their dashes, each with its value; a flag has an empty one.
std::vector<std::pair<std::string, std::string>> option_pairs(const std::vector<std::string>& words);

} // namespace rhumb::core
