#include <rhumb/run/variation.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <rhumb/io/seal.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <span>

namespace rhumb::run {

namespace {
/// More runs are a mistake in a range, not a study.
constexpr long max_runs = 100000;

[[noreturn]] void reject(const std::string& text, const std::string& why) {
  throw core::BadInput(fmt::format("option -vary {}: {}", text, why));
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// The parts between separators that stand in no parentheses.
std::vector<std::string> split(const std::string& text, char separator, const std::string& whole) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth < 0) reject(whole, "a ')' without its '('");
    if (c == separator && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (depth > 0) reject(whole, "a '(' without its ')'");
  for (auto& part : parts) part = trimmed(part);
  return parts;
}

/// `(64,64)` is 64,64; sin(x)+(1) stays as it is.
std::string without_parentheses(const std::string& value) {
  if (value.size() < 2 || value.front() != '(' || value.back() != ')') return value;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < value.size(); ++i) {
    depth += value[i] == '(' ? 1 : value[i] == ')' ? -1 : 0;
    if (depth == 0) return value;
  }
  return trimmed(value.substr(1, value.size() - 2));
}

double number_of(const std::string& string_value, const std::string& whole) {
  const auto value = core::parse_real(string_value);
  if (!value || !std::isfinite(*value))
    reject(whole, fmt::format("'{}' is no number; a range is low:high:count", string_value));
  return *value;
}

/// The ends are exactly those that were given.
std::vector<std::string> range_values(const std::vector<std::string>& parts, const std::string& whole) {
  const double low = number_of(parts[0], whole), high = number_of(parts[1], whole);
  const auto count = core::parse_integer(parts[2]);
  if (!count || *count < 2 || *count > max_runs) reject(whole, fmt::format("a range has 2 ... {} values", max_runs));
  const bool logarithmic = parts.size() == 4;
  if (logarithmic && parts[3] != "log") reject(whole, "low:high:count:log is wanted");
  if (logarithmic && !(low > 0.0 && high > 0.0)) reject(whole, "logarithms need ends above 0");
  std::vector<std::string> values;
  for (long i = 0; i < *count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(*count - 1);
    double value = logarithmic ? low * std::pow(high / low, share) : low + share * (high - low);
    if (i == *count - 1) value = high;
    // Fifteen digits: 100, not 99.99999999999999, so that counts can be ranged over, too.
    values.push_back(fmt::format("{}", *core::parse_real(fmt::format("{:.15g}", value))));
  }
  return values;
}

void check_values(const Variation& variation, const std::string& whole) {
  std::set<std::string> seen;
  for (const auto& value : variation.values) {
    if (value.empty()) reject(whole, "a value is empty");
    if (!seen.insert(value).second) reject(whole, fmt::format("the value {} comes twice", value));
  }
}

Variation parse_one(const std::string& text) {
  const auto equals = text.find('=');
  Variation out;
  out.name = trimmed(text.substr(0, equals));
  if (out.name.starts_with('-')) out.name.erase(0, out.name.find_first_not_of('-'));
  if (equals == std::string::npos || out.name.empty()) reject(text, "NAME=VALUE,VALUE,... is wanted");
  const std::string right = trimmed(text.substr(equals + 1));
  out.values = split(right, ',', text);
  const auto ends = split(right, ':', text);
  if (out.values.size() == 1 && ends.size() > 1 && ends.size() <= 4 && core::parse_real(ends[0])) {
    out.is_interval = ends.size() == 2;
    out.values = out.is_interval ? ends : range_values(ends, text);
    for (const auto& end : {ends[0], ends[1]}) number_of(end, text);
  }
  for (auto& value : out.values) value = without_parentheses(value);
  check_values(out, text);
  return out;
}

std::string name_part(std::string text) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '+'; };
  std::ranges::replace_if(
      text, [&](char c) { return !plain(static_cast<unsigned char>(c)); }, '-');
  return text;
}
} // namespace

std::vector<Variation> parse_variations(const std::string& text) {
  std::vector<Variation> out;
  for (const auto& part : split(text, ';', text)) {
    if (part.empty()) continue;
    out.push_back(parse_one(part));
    for (std::size_t i = 0; i + 1 < out.size(); ++i)
      if (core::to_lower(out[i].name) == core::to_lower(out.back().name))
        reject(part, fmt::format("{} is varied twice", out.back().name));
  }
  if (out.empty()) throw core::BadInput("option -vary: NAME=VALUE,VALUE,... is wanted");
  return out;
}

std::vector<std::vector<std::string>> combinations(const std::vector<Variation>& variations, Combine combine) {
  std::vector<std::vector<std::string>> runs(1);
  for (const auto& variation : variations)
    if (variation.is_interval)
      reject(variation.name, "an interval has no end of values; a range is low:high:count or low:high:count:log");
  if (combine == Combine::beside) {
    runs.resize(variations.front().values.size());
    for (const auto& variation : variations) {
      if (variation.values.size() != runs.size())
        reject(variation.name, fmt::format("{} values beside {} of {}: as many are wanted", variation.values.size(),
                                           runs.size(), variations.front().name));
      for (std::size_t i = 0; i < runs.size(); ++i) runs[i].push_back(variation.values[i]);
    }
    return runs;
  }
  for (const auto& variation : variations) {
    std::vector<std::vector<std::string>> longer;
    if (runs.size() * variation.values.size() > static_cast<std::size_t>(max_runs))
      reject(variation.name, fmt::format("more than {} runs", max_runs));
    for (const auto& run : runs)
      for (const auto& value : variation.values) {
        longer.push_back(run);
        longer.back().push_back(value);
      }
    runs = std::move(longer);
  }
  return runs;
}

std::string folder_name(const std::vector<Variation>& variations, const std::vector<std::string>& values) {
  constexpr std::size_t max_length = 200; // file systems take 255 bytes
  std::string name;
  for (std::size_t i = 0; i < variations.size(); ++i)
    name += fmt::format("{}{}_{}", i ? "_" : "", name_part(variations[i].name), name_part(values[i]));
  if (name.size() <= max_length) return name;
  const std::uint64_t checksum = io::checksum_part(0, std::as_bytes(std::span<const char>(name)));
  return fmt::format("{}_{:016x}", name.substr(0, max_length), checksum);
}

} // namespace rhumb::run
