#include <rhumb/core/formula_message.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::core::formula {

namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// Bytes of the UTF-8 character that begins at `i`; 0 where none does.
std::size_t length_of_character(std::string_view text, std::size_t i) {
  const unsigned char first = byte_at(text, i);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte_at(text, i + k) & 0xC0U) != 0x80U) return 0;
  return length;
}

bool is_control(unsigned char c) {
  return c < 0x20 || c == 0x7F;
}

/// The characters of text[from, to) on one line, and the column of `position` among them.
struct Line {
  std::string text;
  std::size_t column = 0;
};

Line line_of(std::string_view text, std::size_t from, std::size_t to, std::size_t position) {
  Line line;
  for (std::size_t i = from; i < to;) {
    const std::size_t length = length_of_character(text, i);
    if (i < position) ++line.column;
    if (length == 0)
      line.text += '?';
    else if (length == 1 && is_control(byte_at(text, i)))
      line.text += text[i] == '\t' || text[i] == '\n' || text[i] == '\r' ? ' ' : '?';
    else
      line.text += text.substr(i, length);
    i += std::max<std::size_t>(length, 1);
  }
  return line;
}

} // namespace

void reject(std::string_view source, std::string_view text, std::size_t position, const std::string& reason) {
  constexpr std::size_t around = 60; // characters on each side that are shown of a long text
  position = std::min(position, text.size());
  const std::size_t from = position > around ? position - around : 0, to = std::min(text.size(), position + around);
  Line line = line_of(text, from, to, position);
  if (from > 0) {
    line.text = "... " + line.text;
    line.column += 4;
  }
  if (to < text.size()) line.text += " ...";
  throw BadInput(fmt::format("{}{}{}\n  {}\n  {}^ here", source, source.empty() ? "" : ": ", reason, line.text,
                             std::string(line.column, ' ')));
}

std::string character_at(std::string_view text, std::size_t position) {
  const std::size_t length = length_of_character(text, position);
  if (length == 0 || is_control(byte_at(text, position)))
    return fmt::format("the byte 0x{:02x}", byte_at(text, position));
  return fmt::format("'{}'", text.substr(position, length));
}

std::string unknown_name(const std::string& name, const std::vector<std::string>& variables,
                         const std::vector<std::string>& others) {
  constexpr std::size_t most_shown = 12, longest_shown = 40;
  auto all = variables;
  all.insert(all.end(), others.begin(), others.end());
  // Any letter is near any other: a single one tells nothing of what was meant.
  const std::string near = name.size() > 1 && name.size() <= longest_shown ? nearest(name, all) : "";
  std::vector<std::string> shown(
      variables.begin(), variables.begin() + static_cast<std::ptrdiff_t>(std::min(variables.size(), most_shown)));
  if (variables.size() > most_shown) shown.emplace_back("...");
  return fmt::format("'{}' is not known here{} {}{}pi, e and the functions sin, cos, exp, sqrt, ...",
                     name.size() <= longest_shown ? name : name.substr(0, longest_shown) + "...",
                     near.empty() ? ": there are" : fmt::format(", did you mean '{}'? There are", near),
                     fmt::join(shown, ", "), shown.empty() ? "" : ", ");
}

} // namespace rhumb::core::formula
