/// A mutator that knows lines, words and numbers: counts that do not fit, lines twice or missing or in another order,
/// numbers at the edges of their types. Half of the time libFuzzer's own.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {
using Random = std::minstd_rand;

constexpr std::array<std::string_view, 30> edge_numbers{"0",
                                                        "-0",
                                                        "1",
                                                        "-1",
                                                        "2",
                                                        "3",
                                                        "4",
                                                        "7",
                                                        "100",
                                                        "0.5",
                                                        "-0.5",
                                                        "1e-300",
                                                        "1e-320",
                                                        "1e300",
                                                        "-1e300",
                                                        "1e400",
                                                        "nan",
                                                        "inf",
                                                        "-inf",
                                                        "2147483647",
                                                        "2147483648",
                                                        "-2147483648",
                                                        "4294967296",
                                                        "9007199254740993",
                                                        "9223372036854775807",
                                                        "9223372036854775808",
                                                        "18446744073709551615",
                                                        "0x10",
                                                        "1d5",
                                                        "1e"};

std::size_t below(Random& random, std::size_t end) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

struct Part {
  std::size_t begin, end;
};

/// The piece around a random position that holds none of the separators.
Part part_at_random(const std::string& text, std::string_view separators, Random& random) {
  const std::size_t at = below(random, text.size() + 1);
  const std::size_t before = at == 0 ? std::string::npos : text.find_last_of(separators, at - 1);
  return {before == std::string::npos ? 0 : before + 1, std::min(text.find_first_of(separators, at), text.size())};
}

constexpr std::string_view line_ends = "\n";
constexpr std::string_view word_ends = " \t\n,:;()[]{}*/+^\"'";

void change(std::string& text, Random& random) {
  const std::string_view separators = below(random, 2) == 0 ? line_ends : word_ends;
  const Part part = part_at_random(text, separators, random), other = part_at_random(text, separators, random);
  const std::string piece = text.substr(part.begin, part.end - part.begin);
  const std::string other_piece = text.substr(other.begin, other.end - other.begin);
  const auto replace = [&](const std::string& by) { text.replace(part.begin, part.end - part.begin, by); };
  const char separator = part.end < text.size() ? text[part.end] : '\n';
  switch (below(random, 5)) {
  case 0: // a number at its edge
    return replace(std::string(edge_numbers[below(random, edge_numbers.size())]));
  case 1: // twice
    return replace(piece + separator + piece);
  case 2: // missing
    return replace("");
  case 3: // another's
    return replace(other_piece);
  default: // more of it
    return replace(piece + separator + other_piece);
  }
}
} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  Random random(seed);
  if (below(random, 2) == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string text(reinterpret_cast<const char*>(data), size);
  change(text, random);
  const std::size_t new_size = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), new_size);
  return new_size;
}
