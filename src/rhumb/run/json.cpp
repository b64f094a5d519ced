#include <rhumb/run/json.hpp>

#include <cmath>
#include <cstddef>
#include <fmt/format.h>

namespace rhumb::run {

namespace {
/// Length of the UTF-8 sequence that starts at `at`; 0 when it is none (overlong forms and surrogates are none).
std::size_t sequence_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
  const unsigned second = byte(at + 1);
  const bool bad = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                   (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
  return bad ? 0 : length;
}

std::string escaped(char c) {
  switch (c) {
  case '"':
    return "\\\"";
  case '\\':
    return "\\\\";
  case '\n':
    return "\\n";
  case '\r':
    return "\\r";
  case '\t':
    return "\\t";
  default:
    if (static_cast<unsigned char>(c) < 0x20) return fmt::format("\\u{:04x}", static_cast<int>(c));
    return std::string(1, c);
  }
}

template <class Number, class Text>
std::string list(std::span<const Number> values, const Text& text) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + text(values[i]);
  return out + "]";
}
} // namespace

std::string json_quoted(const std::string& text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 1)
      out += escaped(text[at]);
    else if (length == 0)
      out += "\\ufffd";
    else
      out += text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return out + "\"";
}

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

Json& Json::add(const std::string& key, double value) {
  members_.push_back({key, json_number(value), {}});
  return *this;
}

Json& Json::add(const std::string& key, long value) {
  members_.push_back({key, fmt::format("{}", value), {}});
  return *this;
}

Json& Json::add(const std::string& key, const std::string& value) {
  members_.push_back({key, json_quoted(value), {}});
  return *this;
}

Json& Json::add(const std::string& key, std::span<const double> values) {
  members_.push_back({key, list(values, json_number), {}});
  return *this;
}

Json& Json::add(const std::string& key, std::span<const long> values) {
  members_.push_back({key, list(values, [](long value) { return fmt::format("{}", value); }), {}});
  return *this;
}

Json& Json::add(const std::string& key, std::span<const std::string> values) {
  members_.push_back({key, list(values, [](const std::string& value) { return json_quoted(value); }), {}});
  return *this;
}

Json& Json::add(const std::string& key, const Json& object) {
  members_.push_back({key, {}, {object}});
  return *this;
}

Json& Json::add_flag(const std::string& key, bool value) {
  members_.push_back({key, value ? "true" : "false", {}});
  return *this;
}

std::string Json::indented(int depth) const {
  if (members_.empty()) return "{}";
  const std::string margin(static_cast<std::size_t>(2 * depth), ' ');
  std::string out = "{\n";
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    const std::string value = member.objects.empty() ? member.text : member.objects.front().indented(depth + 1);
    out += fmt::format("{}  {}: {}{}\n", margin, json_quoted(member.key), value, i + 1 < members_.size() ? "," : "");
  }
  return out + margin + "}";
}

std::string Json::text() const {
  return indented(0) + "\n";
}

} // namespace rhumb::run
