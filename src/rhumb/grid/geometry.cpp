#include <rhumb/grid/geometry.hpp>

namespace rhumb::grid {

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
