#include "physics/heat/case.hpp"

#include "core/failure.hpp"
#include <fmt/format.h>

namespace rhumb::heat {

using core::BadInput;
using core::Options;

namespace {

/// The letters that a formula may use in this box.
std::string place_letters(const grid::BoxShape& shape, Symmetry symmetry) {
  return symmetry == Symmetry::planar ? std::string("xyz").substr(0, shape.cells.size()) : "xr";
}

/// For -help: "formula in x, y, t".
std::string formula_in(const std::string& letters) {
  return fmt::format("formula in {}", fmt::join(letters, ", "));
}

class Reader {
public:
  Reader(Options& options, std::string place) : options_(options), place_(std::move(place)) {}

  const std::string& place() const { return place_; }

  Expression formula(const std::string& name, const std::string& standard, const core::About& about,
                     const std::string& letters) {
    return {name, options_.word(name, standard, about), letters};
  }

  /// Only where it is given.
  std::optional<Expression> formula_if_given(const std::string& name, const core::About& about,
                                             const std::string& letters) {
    const auto text = options_.word(name, "", about);
    if (text.empty()) return std::nullopt;
    return Expression(name, text, letters);
  }

  Material material(const std::string& prefix, const std::string& name) {
    const std::string all = place_ + "tT";
    // A named material takes from the body what it does not say itself.
    const auto text = [&](const std::string& what, const std::string& last, const core::About& about) {
      const auto body = options_.word(what, last, about);
      return prefix.empty() ? body : options_.word(prefix + what, body, about);
    };
    const auto k = text("k", "1", {"heat conductivity: " + formula_in(all), "W/(m K)"});
    const auto rho = text("rho", "1", {"density: " + formula_in(place_), "kg/m^3"});
    const auto c = text("c", "1", {"specific heat: " + formula_in(place_ + "T"), "J/(kg K)"});
    const auto source = text("source", "0", {"heat source: " + formula_in(all), "W/m^3"});
    const Expression density(prefix + "rho", rho, place_), specific_heat(prefix + "c", c, place_ + "T");
    return {name, std::nullopt, Expression(prefix + "k", k, all),
            Expression(prefix + "rho and -" + prefix + "c", fmt::format("({})*({})", rho, c), place_ + "T"),
            Expression(prefix + "source", source, all)};
  }

  Wall wall(grid::Side side) {
    const std::string own = fmt::format("bc_{}_", grid::side_names[static_cast<std::size_t>(side)]);
    const std::vector<std::string> words(wall_words.begin(), wall_words.end());
    const auto common =
        options_.choice("bc_type", "symmetry", words, {"what happens on the sides that do not say it themselves"});
    const auto word = options_.choice(own + "type", common, words, {"what happens on this side"});
    Wall wall;
    for (std::size_t i = 0; i < wall_words.size(); ++i)
      if (word == wall_words[i]) wall.type = static_cast<Wall::Type>(i);
    const std::string place_time = place_ + "t", all = place_time + "T";
    switch (wall.type) {
    case Wall::Type::dirichlet:
      wall.value = needed(own, "value", word, {"temperature of the side: " + formula_in(place_time), "K"}, place_time);
      break;
    case Wall::Type::flux:
      wall.value = needed(own, "value", word, {"heat flux into the body: " + formula_in(all), "W/m^2"}, all);
      break;
    case Wall::Type::convection:
      wall.coefficient = needed(own, "h", word, {"heat transfer coefficient: " + formula_in(all), "W/(m^2 K)"}, all);
      wall.ambient = needed(own, "ambient", word, {"surrounding temperature", "K"}, place_time);
      break;
    case Wall::Type::radiation:
      wall.coefficient = needed(own, "emissivity", word, {"emissivity: " + formula_in(all)}, all);
      wall.ambient = needed(own, "ambient", word, {"surrounding temperature", "K"}, place_time);
      break;
    default:
      break;
    }
    return wall;
  }

private:
  /// A value that the type of the side asks for: its own, else the one for all sides.
  Expression needed(const std::string& own, const std::string& what, const std::string& type, const core::About& about,
                    const std::string& letters) {
    const auto common = options_.word("bc_" + what, "", about);
    const auto text = options_.word(own + what, common, about);
    if (text.empty())
      throw BadInput(fmt::format("-{}type is {}, which needs -{}{} (or -bc_{} for all sides): {}", own, type, own, what,
                                 what, about.text));
    return {Options::given(own + what) ? own + what : "bc_" + what, text, letters};
  }

  Options& options_;
  std::string place_;
};

Symmetry read_symmetry(Options& options) {
  const auto word = options.choice("symmetry", "planar", {"planar", "cylinder", "sphere"},
                                   {"in one dimension: x is a length, or the radius of a cylinder or a sphere"});
  return word == "planar" ? Symmetry::planar : word == "cylinder" ? Symmetry::cylinder : Symmetry::sphere;
}

/// Sides that this box does not have are refused here, by name: they would only be "not read" elsewhere.
void refuse_missing_sides(const grid::BoxShape& shape) {
  for (std::size_t side = 2 * shape.cells.size(); side < 6; ++side)
    for (const char* what : {"type", "value", "h", "ambient", "emissivity"}) {
      const auto name = fmt::format("bc_{}_{}", grid::side_names[side], what);
      if (Options::given(name))
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

void read_walls(Reader& reader, Case& read) {
  for (std::size_t side = 0; side < 2 * read.shape.cells.size(); ++side)
    read.walls[side] = reader.wall(static_cast<grid::Side>(side));
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

std::vector<std::string> split(const std::string& words) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : words + ",") {
    if (c == ',') {
      if (!part.empty()) parts.push_back(std::exchange(part, ""));
    } else if (c != ' ') {
      part += c;
    }
  }
  return parts;
}

void read_materials(Options& options, Reader& reader, Case& read) {
  read.materials.push_back(reader.material("", ""));
  const auto names = options.word("materials", "", {"names of materials that fill regions: a,b,c; later ones win"});
  for (const auto& name : split(names)) {
    const auto prefix = fmt::format("material_{}_", name);
    auto material = reader.material(prefix, name);
    material.region =
        reader.formula_if_given(prefix + "region", {"where this material is: a formula, not 0 inside"}, reader.place());
    if (!material.region)
      throw BadInput(fmt::format("-materials names {}, which needs -{}region: a formula in {}, not 0 inside", name,
                                 prefix, fmt::join(reader.place(), ", ")));
    read.materials.push_back(std::move(material));
  }
}

void read_probes(Options& options, Case& read) {
  const auto numbers = options.reals("probes", {}, {"points whose temperature is reported: x[,y[,z]] of each", "m"});
  const std::size_t d = read.shape.cells.size();
  if (numbers.size() % d != 0)
    throw BadInput(fmt::format("-probes has {} numbers; a point of this box has {}", numbers.size(), d));
  for (std::size_t i = 0; i < numbers.size(); i += d) {
    std::array<double, 3> probe{};
    for (std::size_t e = 0; e < d; ++e) {
      probe[e] = numbers[i + e];
      if (probe[e] < read.shape.lower[e] || probe[e] > read.shape.upper[e])
        throw BadInput(fmt::format("-probes: point {} has {} = {}, outside the box [{}, {}]", i / d + 1, "xyz"[e],
                                   probe[e], read.shape.lower[e], read.shape.upper[e]));
    }
    read.probes.push_back(probe);
  }
}

} // namespace

Case read_case(Options& options) {
  const auto problem = options.word("problem", "heat", {"name of the problem, for messages and files"});
  const auto shape = grid::read_box(options, {.cells = {64, 64}});
  const auto symmetry = read_symmetry(options);
  check_symmetry(shape, symmetry);
  refuse_missing_sides(shape);
  Reader reader(options, place_letters(shape, symmetry));
  Case read{.problem = problem,
            .shape = shape,
            .symmetry = symmetry,
            .materials = {},
            .walls = {},
            .initial = reader.formula("initial", "0", {"temperature at the start: " + formula_in(reader.place()), "K"},
                                      reader.place()),
            .exact = reader.formula_if_given("exact", {"the solution, for errors: " + formula_in(reader.place() + "t")},
                                             reader.place() + "t"),
            .exact_profile = reader.formula_if_given(
                "exact_profile",
                {"f(x), where -initial is the product of f over the directions, all sides are held at 0 and the "
                 "coefficients are constant: errors are then against the exact solution on this grid"},
                "x"),
            .watch_times = options.reals("watch_times", {}, {"times at which errors are taken, beside the end", "s"}),
            .probes = {}};
  read.mean = options.choice("face_mean", "harmonic", {"harmonic", "arithmetic"},
                             {"conductivity of a face from those of its two points"}) == "harmonic"
                  ? FaceMean::harmonic
                  : FaceMean::arithmetic;
  read.stefan_boltzmann = options.real("stefan_boltzmann", read.stefan_boltzmann, {"radiation constant", "W/(m^2 K^4)"},
                                       core::Range::positive());
  read_materials(options, reader, read);
  read_walls(reader, read);
  read_probes(options, read);
  return read;
}

} // namespace rhumb::heat
