#include <rhumb/grid/geometry.hpp>

#include <fmt/format.h>

namespace rhumb::grid {

std::string position_text(std::span<const double> position) {
  std::string text;
  for (std::size_t d = 0; d < position.size(); ++d)
    text += fmt::format("{}{} = {:.6g}", d == 0 ? "" : ", ", "xyz"[d], position[d]);
  return text;
}

std::string name(Location location) {
  switch (location) {
  case Location::none:
    return "none";
  case Location::point:
    return "point";
  case Location::cell:
    return "cell";
  case Location::face_x:
    return "face_x";
  case Location::face_y:
    return "face_y";
  case Location::face_z:
    return "face_z";
  }
  return "none";
}

Block<double> piece(std::uint64_t global, std::uint64_t first, std::vector<double> values) {
  const std::uint64_t count = values.size();
  return {.global = {global}, .offset = {first}, .count = {count}, .rows = {}, .values = std::move(values)};
}

} // namespace rhumb::grid
