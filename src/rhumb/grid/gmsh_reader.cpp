#include <rhumb/grid/gmsh_reader.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/input_file.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace rhumb::grid {

using core::BadInput;

GmshReader::GmshReader(const std::filesystem::path& file) : name_(file.string()) {
  if (std::filesystem::exists(file)) core::check_input_file(name_, core::max_mesh_size, "a mesh");
  stream_.open(file, std::ios::binary);
  if (!stream_) throw core::InputOutput(fmt::format("the mesh {} cannot be read: is there such a file?", name_));
}

void GmshReader::reject(const std::string& what) const {
  throw BadInput(binary_ ? fmt::format("the mesh {} (binary): {}", name_, what)
                         : fmt::format("the mesh {}, line {}: {}", name_, line_, what));
}
void GmshReader::reject_file(const std::string& what) const {
  throw BadInput(fmt::format("the mesh {} {}", name_, what));
}

bool GmshReader::next_line(std::string& out) {
  if (!std::getline(stream_, out)) return false;
  ++line_;
  for (const char c : out) note(c);
  if (!out.empty() && out.back() == '\r') out.pop_back();
  return true;
}

std::string GmshReader::line(const char* section) {
  std::string out;
  if (!next_line(out)) reject_file(fmt::format("ends within ${}: it is cut off", section));
  // PETSc's reader takes a carriage return for the end of the line, and crashes on half a name.
  const auto is_control = [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; };
  if (std::ranges::any_of(out, is_control)) reject(fmt::format("a control character in a line of ${}", section));
  if (!out.empty() && out[0] == '$') reject(fmt::format("{} stands where ${} has not all its lines", out, section));
  return out;
}

std::vector<double> GmshReader::numbers(const char* section, std::size_t least) {
  const std::string content = line(section);
  std::vector<double> out;
  const char* at = content.c_str();
  for (char* end = nullptr;; at = end) {
    const double number = std::strtod(at, &end);
    if (end == at) break;
    out.push_back(number);
  }
  while (*at == ' ' || *at == '\t') ++at;
  const bool finite = std::all_of(out.begin(), out.end(), [](double number) { return std::isfinite(number); });
  if (out.size() < least || *at != '\0' || !finite)
    reject(fmt::format("'{}' is not {} numbers, as a line of ${} has", content, least, section));
  return out;
}

std::vector<double> GmshReader::text_record(const char* section, std::size_t size) {
  auto out = numbers(section, size);
  expect(out, size, section);
  return out;
}

template <class Number>
Number GmshReader::read_binary(const char* section) {
  std::array<char, sizeof(Number)> bytes{};
  if (!stream_.read(bytes.data(), bytes.size())) reject_file(fmt::format("ends within ${}: it is cut off", section));
  for (const char byte : bytes) note(byte);
  return std::bit_cast<Number>(bytes);
}

std::vector<double> GmshReader::record(const char* section, std::string_view types) {
  if (!binary_) return text_record(section, types.size());
  std::vector<double> out;
  for (const char type : types)
    out.push_back(type == 'i'   ? read_binary<std::int32_t>(section)
                  : type == 's' ? static_cast<double>(read_binary<std::uint64_t>(section))
                                : read_binary<double>(section));
  if (!std::ranges::all_of(out, [](double number) { return std::isfinite(number); }))
    reject(fmt::format("a number of ${} is not finite", section));
  return out;
}

void GmshReader::add_list(const char* section, std::vector<double>& numbers) {
  numbers.push_back(record(section, "s")[0]);
  for (long i = count(numbers.back()); i > 0; --i) numbers.push_back(read_binary<std::int32_t>(section));
}

std::vector<double> GmshReader::entity(std::size_t box, bool bounded) {
  constexpr const char* section = "Entities";
  if (binary_) {
    std::string types(1 + box, 'd');
    types[0] = 'i';
    auto out = record(section, types);
    add_list(section, out);
    if (bounded) add_list(section, out);
    return out;
  }
  auto out = numbers(section, box + 2);
  std::size_t size = box + 2 + static_cast<std::size_t>(count(out[box + 1]));
  if (bounded && size < out.size()) size += 1 + static_cast<std::size_t>(count(out[size]));
  expect(out, size, section);
  return out;
}

long GmshReader::whole(double number) const {
  if (number != std::floor(number) || std::abs(number) > largest_whole)
    reject(fmt::format("{} where a whole number of at most {} should stand", number, largest_whole));
  return static_cast<long>(number);
}

long GmshReader::count(double number) const {
  const long out = whole(number);
  if (out < 0) reject(fmt::format("{} where a count should stand", out));
  return out;
}

void GmshReader::expect(const std::vector<double>& numbers, std::size_t size, const char* section) const {
  if (numbers.size() != size)
    reject(fmt::format("{} numbers instead of {} in a line of ${}", numbers.size(), size, section));
}

void GmshReader::end(const char* section) {
  std::string out;
  bool more = next_line(out);
  if (binary_ && more && out.empty()) more = next_line(out); // the end of the data's line
  if (!more) reject_file(fmt::format("ends before $End{}: it is cut off", section));
  if (out != fmt::format("$End{}", section)) reject(fmt::format("'{}' instead of $End{}", out, section));
}

} // namespace rhumb::grid
