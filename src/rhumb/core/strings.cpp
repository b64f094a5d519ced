#include <rhumb/core/strings.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace rhumb::core {

namespace {
/// from_chars knows no leading plus; "+-1" stays wrong.
std::string without_plus(const std::string& input) {
  if (input.size() > 1 && input[0] == '+' && input[1] != '-') return input.substr(1);
  return input;
}

template <class Number>
std::optional<Number> whole(const std::string& input) {
  const std::string text = without_plus(input);
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}
} // namespace

std::string to_lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

std::optional<double> parse_real(const std::string& input) {
  const auto value = whole<double>(input);
  if (value && std::isnan(*value)) return std::nullopt;
  return value;
}

std::optional<long> parse_integer(const std::string& input) {
  if (const auto value = whole<long>(input)) return value;
  const auto real = parse_real(input);
  const double exact = std::ldexp(1.0, std::numeric_limits<double>::digits); // all integers below are doubles
  if (!real || std::abs(*real) > exact || *real != std::trunc(*real)) return std::nullopt;
  return static_cast<long>(*real);
}

std::optional<bool> parse_flag(const std::string& input) {
  const std::string text = to_lower(input);
  if (text.empty() || text == "yes" || text == "true" || text == "on" || text == "1") return true;
  if (text == "no" || text == "false" || text == "off" || text == "0") return false;
  return std::nullopt;
}

std::vector<std::string> split_at_commas(const std::string& input) {
  std::vector<std::string> parts;
  if (input.empty()) return parts;
  std::size_t begin = 0;
  for (std::size_t comma = input.find(','); comma != std::string::npos; comma = input.find(',', begin)) {
    parts.push_back(trimmed(input.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  parts.push_back(trimmed(input.substr(begin)));
  return parts;
}

int edit_distance(const std::string& a, const std::string& b) {
  const std::size_t rows = a.size() + 1;
  const std::size_t columns = b.size() + 1;
  std::vector<int> table(rows * columns);
  const auto d = [&](std::size_t i, std::size_t j) -> int& { return table[i * columns + j]; };
  for (std::size_t i = 0; i < rows; ++i) d(i, 0) = static_cast<int>(i);
  for (std::size_t j = 0; j < columns; ++j) d(0, j) = static_cast<int>(j);
  for (std::size_t i = 1; i < rows; ++i)
    for (std::size_t j = 1; j < columns; ++j) {
      const int substitution = d(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      d(i, j) = std::min({d(i - 1, j) + 1, d(i, j - 1) + 1, substitution});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d(i, j) = std::min(d(i, j), d(i - 2, j - 2) + 1);
    }
  return d(rows - 1, columns - 1);
}

std::string nearest(const std::string& input, const std::vector<std::string>& candidates) {
  std::string best;
  int least = static_cast<int>(input.size()) / 3 + 2; // one more than is still near
  for (const auto& candidate : candidates) {
    const int distance = edit_distance(to_lower(input), to_lower(candidate));
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

namespace {
/// Whether the text behind a minus is a formula, such as x, exp(-t) or x*(1 - y), and no name of an option: no driver has
/// options -x, -y, -z, -t, -pi. Names of species stand in names of options: -dae_atol_Y_CH2(S), -dae_atol_Y_H3O+.
bool is_formula(const std::string& text) {
  if (text.starts_with("dae_")) return false;
  if (text == "x" || text == "y" || text == "z" || text == "t" || text == "pi") return true;
  if (text.find_first_of("+-*/^<>=!&|?, ") != std::string::npos) return true;
  const auto name = text.substr(0, text.find('('));
  const auto of_function = [](char c) {
    return std::islower(static_cast<unsigned char>(c)) || std::isdigit(static_cast<unsigned char>(c));
  };
  return name.size() < text.size() && std::ranges::all_of(name, of_function);
}
} // namespace

bool is_option(const std::string& input) {
  if (input.size() < 2 || input[0] != '-') return false;
  const std::size_t letter = input[1] == '-' ? 2 : 1;
  if (letter >= input.size() || !std::isalpha(static_cast<unsigned char>(input[letter]))) return false;
  return letter == 2 || !is_formula(input.substr(letter));
}

std::vector<std::pair<std::string, std::string>> option_pairs(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_option(words[i])) continue;
    const bool has_value = i + 1 < words.size() && !is_option(words[i + 1]);
    out.emplace_back(words[i].substr(words[i].find_first_not_of('-')), has_value ? words[i + 1] : "");
  }
  return out;
}

} // namespace rhumb::core
