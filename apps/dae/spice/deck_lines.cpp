#include "deck_lines.hpp"

#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>

namespace rhumb::problems::spice {

std::optional<double> spice_number(const std::string& word) {
  std::size_t used = 0;
  double value = 0.0;
  try {
    value = std::stod(word, &used);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  const std::string rest = word.substr(used);
  if (!std::isfinite(value) || !std::ranges::all_of(rest, [](char c) { return c >= 'a' && c <= 'z'; }))
    return std::nullopt;
  if (rest.empty() || used == 0) return value;
  if (rest.starts_with("meg")) return value * 1e6;
  static const std::map<char, double> scale{{'f', 1e-15}, {'p', 1e-12}, {'n', 1e-9}, {'u', 1e-6},
                                            {'m', 1e-3},  {'k', 1e3},   {'g', 1e9},  {'t', 1e12}};
  const auto found = scale.find(rest.front());
  return found == scale.end() ? value : value * found->second;
}

namespace {

/// Lower case, without comments; brackets, commas and = stand alone or vanish; {expressions} stay whole.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  int braces = 0;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  for (const char c : core::to_lower(text)) {
    if (c == ';' || c == '$') break;
    if (c == '{') ++braces;
    if (braces == 0 && (std::isspace(static_cast<unsigned char>(c)) || c == '(' || c == ')' || c == ',')) {
      end_word();
    } else if (braces == 0 && c == '=') {
      end_word();
      words.emplace_back("=");
    } else {
      word += c;
    }
    if (c == '}') --braces;
  }
  end_word();
  return words;
}

} // namespace

std::vector<Line> logical_lines(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    if (++number == 1) continue; // the title
    if (line.empty() || line[0] == '*' || line[0] == '#') continue;
    const bool more = line[0] == '+';
    auto words = split(more ? line.substr(1) : line);
    if (more && !lines.empty()) {
      lines.back().words.insert(lines.back().words.end(), words.begin(), words.end());
      continue;
    }
    if (words.empty()) continue;
    if (words[0] == ".end") break;
    lines.push_back({number, std::move(words)});
  }
  return lines;
}

} // namespace rhumb::problems::spice
