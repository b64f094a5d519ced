#include <rhumb/physics/heat/case.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/heat/reader.hpp>
#include <fmt/format.h>

namespace rhumb::heat {

using core::BadInput;
using core::Options;

namespace {

/// The letters that a formula may use in this box.
std::string coordinate_letters(const grid::BoxShape& shape, Symmetry symmetry) {
  return symmetry == Symmetry::planar ? std::string("xyz").substr(0, shape.cells.size()) : "xr";
}

Symmetry read_symmetry(const Options& options) {
  const auto choice = options.choice("symmetry", "planar", {"planar", "cylinder", "sphere"},
                                     {"in one dimension: x is a length, or the radius of a cylinder or a sphere"});
  return choice == "planar" ? Symmetry::planar : choice == "cylinder" ? Symmetry::cylinder : Symmetry::sphere;
}

/// Sides that this box does not have are refused here, by name: they would only be "not read" elsewhere.
void reject_missing_sides(const grid::BoxShape& shape, const Options& options) {
  for (std::size_t side = 2 * shape.cells.size(); side < 6; ++side)
    for (const char* what : {"type", "value", "h", "ambient", "emissivity"}) {
      const auto name = fmt::format("bc_{}_{}", grid::side_names[side], what);
      if (options.given(name))
        throw BadInput(fmt::format("-{}: a box of {} dimension{} (-n) has no side '{}'", name, shape.cells.size(),
                                   shape.cells.size() == 1 ? "" : "s", grid::side_names[side]));
    }
}

void check_symmetry(const grid::BoxShape& shape, Symmetry symmetry) {
  if (symmetry == Symmetry::planar) return;
  if (shape.dimension() != 1)
    throw BadInput(
        fmt::format("-symmetry cylinder and sphere are for one dimension, but -n has {} numbers", shape.cells.size()));
  if (shape.lower[0] < 0.0)
    throw BadInput(fmt::format("-lower {}: a radius is not negative (-symmetry)", shape.lower[0]));
}

void read_walls(HeatReader& reader, Case& read) {
  for (std::size_t side = 0; side < 2 * read.shape.cells.size(); ++side)
    read.walls[side] = reader.wall(grid::side_names[side]);
  for (std::size_t d = 0; d < read.shape.cells.size(); ++d) {
    const bool lower = read.walls[2 * d].type == Wall::Type::periodic;
    const bool upper = read.walls[2 * d + 1].type == Wall::Type::periodic;
    if (lower != upper)
      throw BadInput(fmt::format("-bc_{}_type and -bc_{}_type: a direction is periodic on both sides or on neither",
                                 grid::side_names[2 * d], grid::side_names[2 * d + 1]));
    read.shape.periodic[d] = lower;
    if (lower && read.symmetry != Symmetry::planar)
      throw BadInput("a radius is not periodic (-symmetry, -bc_left_type)");
  }
  if (read.symmetry != Symmetry::planar && read.shape.lower[0] == 0.0 && read.walls[0].type != Wall::Type::symmetry)
    throw BadInput("-bc_left_type: at radius 0 there is no side, only symmetry");
}

void read_materials(HeatReader& reader, Case& read) {
  for (const auto& name : reader.material_names()) {
    const auto prefix = fmt::format("material_{}_", name);
    auto material = reader.material(prefix, name);
    material.region = reader.formula_if_given(prefix + "region", {"where this material is: a formula, not 0 inside"},
                                              reader.coordinates());
    if (!material.region)
      throw BadInput(fmt::format("-materials names {}, which needs -{}region: a formula in {}, not 0 inside", name,
                                 prefix, fmt::join(reader.coordinates(), ", ")));
    read.materials.push_back(std::move(material));
  }
}

void check_probes(const Case& read) {
  for (std::size_t i = 0; i < read.probes.size(); ++i)
    for (std::size_t d = 0; d < read.shape.cells.size(); ++d)
      if (const double x = read.probes[i][d]; x < read.shape.lower[d] || x > read.shape.upper[d])
        throw BadInput(fmt::format("-probes: point {} has {} = {}, outside the box [{}, {}]", i + 1, "xyz"[d], x,
                                   read.shape.lower[d], read.shape.upper[d]));
}

} // namespace

Case read_case(const Options& options) {
  const auto problem = options.string("problem", "heat", {"name of the problem, for messages and files"});
  const auto shape = grid::read_box(options, {.cells = {64, 64}});
  const auto symmetry = read_symmetry(options);
  check_symmetry(shape, symmetry);
  reject_missing_sides(shape, options);
  HeatReader reader(options, coordinate_letters(shape, symmetry));
  Case read{reader.statement(problem), shape, symmetry};
  read.exact_profile = reader.formula_if_given(
      "exact_profile",
      {"f(x), where -initial is the product of f over the directions, all sides are held at 0 and the "
       "coefficients are constant: errors are then against the exact solution on this grid"},
      "x");
  read.mean = options.choice("face_mean", "harmonic", {"harmonic", "arithmetic"},
                             {"conductivity of a face from those of its two points"}) == "harmonic"
                  ? FaceMean::harmonic
                  : FaceMean::arithmetic;
  read_materials(reader, read);
  read_walls(reader, read);
  check_probes(read);
  return read;
}

} // namespace rhumb::heat
