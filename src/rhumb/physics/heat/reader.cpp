#include <rhumb/physics/heat/reader.hpp>

#include <rhumb/core/failure.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::heat {

using core::BadInput;
using core::Options;

namespace {

/// For -help: "formula in x, y, t".
std::string formula_in(const std::string& letters) {
  return fmt::format("formula in {}", fmt::join(letters, ", "));
}

std::vector<std::string> split(const std::string& choices) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : choices + ",") {
    if (c == ',') {
      if (!part.empty()) parts.push_back(std::exchange(part, ""));
    } else if (c != ' ') {
      part += c;
    }
  }
  return parts;
}

} // namespace

std::optional<Expression> HeatReader::formula_if_given(const std::string& name, const core::About& about,
                                                       const std::string& letters) {
  const auto text = options_.string(name, "", about);
  if (text.empty()) return std::nullopt;
  return Expression(name, text, letters);
}

Statement HeatReader::statement(const std::string& problem) {
  const auto start = options_.string("initial", "0", {"temperature at the start: " + formula_in(coordinates_), "K"});
  Statement read{.problem = problem,
                 .materials = {},
                 .initial = Expression("initial", start, coordinates_),
                 .exact = formula_if_given("exact", {"the solution, for errors: " + formula_in(coordinates_ + "t")},
                                           coordinates_ + "t"),
                 .watch_times =
                     options_.reals("watch_times", {}, {"times at which errors are taken, beside the end", "s"}),
                 .probes = probes()};
  read.stefan_boltzmann = options_.real("stefan_boltzmann", read.stefan_boltzmann,
                                        {"radiation constant", "W/(m^2 K^4)"}, core::Range::positive());
  read.materials.push_back(material("", ""));
  return read;
}

std::vector<std::array<double, 3>> HeatReader::probes() {
  const auto values = options_.reals("probes", {}, {"points whose temperature is reported: x[,y[,z]] of each", "m"});
  const std::size_t d = coordinates_ == "xr" ? 1 : coordinates_.size();
  if (values.size() % d != 0)
    throw BadInput(fmt::format("-probes has {} numbers; a point here has {}", values.size(), d));
  std::vector<std::array<double, 3>> out(values.size() / d);
  for (std::size_t i = 0; i < values.size(); ++i) out[i / d][i % d] = values[i];
  return out;
}

Material HeatReader::material(const std::string& prefix, const std::string& name) {
  const std::string all = coordinates_ + "tT";
  // A named material takes from the body what it does not say itself.
  const auto text = [&](const std::string& what, const std::string& last, const core::About& about) {
    const auto body = options_.string(what, last, about);
    return prefix.empty() ? body : options_.string(prefix + what, body, about);
  };
  const auto k = text("k", "1", {"heat conductivity: " + formula_in(all), "W/(m K)"});
  const auto rho = text("rho", "1", {"density: " + formula_in(coordinates_), "kg/m^3"});
  const auto c = text("c", "1", {"specific heat: " + formula_in(coordinates_ + "T"), "J/(kg K)"});
  const auto source = text("source", "0", {"heat source: " + formula_in(all), "W/m^3"});
  const Expression density(prefix + "rho", rho, coordinates_), specific_heat(prefix + "c", c, coordinates_ + "T");
  return {name, std::nullopt, Expression(prefix + "k", k, all),
          Expression(prefix + "rho and -" + prefix + "c", fmt::format("({})*({})", rho, c), coordinates_ + "T"),
          Expression(prefix + "source", source, all)};
}

std::vector<std::string> HeatReader::material_names() {
  return split(options_.string(
      "materials", "",
      {"names of materials that fill regions: a,b,c; later ones win; each has -material_NAME_region (a formula, not 0 "
       "inside), _k, _rho, _c, _source"}));
}

Wall HeatReader::wall(const std::string& boundary) {
  const std::string prefix = fmt::format("bc_{}_", boundary);
  const std::vector<std::string> choices(wall_type_names.begin(), wall_type_names.end());
  const auto common =
      options_.choice("bc_type", "symmetry", choices, {"what happens on the sides that do not say it themselves"});
  const auto choice = options_.choice(
      prefix + "type", common, choices,
      {fmt::format("what happens on this side; dirichlet and flux have -{0}value (a formula), convection -{0}h and "
                   "-{0}ambient, radiation -{0}emissivity and -{0}ambient",
                   prefix)});
  Wall wall;
  for (std::size_t i = 0; i < wall_type_names.size(); ++i)
    if (choice == wall_type_names[i]) wall.type = static_cast<Wall::Type>(i);
  const std::string coordinates_and_time = coordinates_ + "t", all = coordinates_and_time + "T";
  switch (wall.type) {
  case Wall::Type::dirichlet:
    wall.value = needed(prefix, "value", choice, {"temperature of the side: " + formula_in(coordinates_and_time), "K"},
                        coordinates_and_time);
    break;
  case Wall::Type::flux:
    wall.value = needed(prefix, "value", choice, {"heat flux into the body: " + formula_in(all), "W/m^2"}, all);
    break;
  case Wall::Type::convection:
    wall.coefficient = needed(prefix, "h", choice, {"heat transfer coefficient: " + formula_in(all), "W/(m^2 K)"}, all);
    wall.ambient = needed(prefix, "ambient", choice, {"surrounding temperature", "K"}, coordinates_and_time);
    break;
  case Wall::Type::radiation:
    wall.coefficient = needed(prefix, "emissivity", choice, {"emissivity: " + formula_in(all)}, all);
    wall.ambient = needed(prefix, "ambient", choice, {"surrounding temperature", "K"}, coordinates_and_time);
    break;
  default:
    break;
  }
  return wall;
}

/// A value that the type of the side asks for: its own, else the one for all sides.
Expression HeatReader::needed(const std::string& prefix, const std::string& what, const std::string& type,
                              const core::About& about, const std::string& letters) {
  const auto common = options_.string("bc_" + what, "", about);
  const auto text = options_.string(prefix + what, common, about);
  if (text.empty())
    throw BadInput(fmt::format("-{}type is {}, which needs -{}{} (or -bc_{} for all sides): {}", prefix, type, prefix,
                               what, what, about.text));
  return {options_.given(prefix + what) ? prefix + what : "bc_" + what, text, letters};
}

} // namespace rhumb::heat
