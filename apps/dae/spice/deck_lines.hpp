#pragma once
/// The words of a SPICE netlist: lines with their continuations, and numbers with their suffixes.

#include <optional>
#include <string>
#include <vector>

namespace rhumb::problems::spice {

struct Line {
  int number = 0;
  std::vector<std::string> words;
};

/// "10k" is 1e4, "1meg" 1e6, "5uf" 5e-6; in lower case.
std::optional<double> spice_number(const std::string& word);

/// The lines behind the title up to .end, in lower case, without comments; those that begin with + belong to the line
/// before. Brackets and commas separate words, = is a word, {expressions} stay whole.
std::vector<Line> logical_lines(const std::string& text);

} // namespace rhumb::problems::spice
