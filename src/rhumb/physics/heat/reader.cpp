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

} // namespace

std::optional<Expression> Reader::formula_if_given(const std::string& name, const core::About& about,
                                                   const std::string& letters) {
  const auto text = options_.word(name, "", about);
  if (text.empty()) return std::nullopt;
  return Expression(name, text, letters);
}

Statement Reader::statement(const std::string& problem) {
  const auto start = options_.word("initial", "0", {"temperature at the start: " + formula_in(place_), "K"});
  Statement read{
      .problem = problem,
      .materials = {},
      .initial = Expression("initial", start, place_),
      .exact = formula_if_given("exact", {"the solution, for errors: " + formula_in(place_ + "t")}, place_ + "t"),
      .watch_times = options_.reals("watch_times", {}, {"times at which errors are taken, beside the end", "s"}),
      .probes = probes()};
  read.stefan_boltzmann = options_.real("stefan_boltzmann", read.stefan_boltzmann,
                                        {"radiation constant", "W/(m^2 K^4)"}, core::Range::positive());
  read.materials.push_back(material("", ""));
  return read;
}

std::vector<std::array<double, 3>> Reader::probes() {
  const auto numbers = options_.reals("probes", {}, {"points whose temperature is reported: x[,y[,z]] of each", "m"});
  const std::size_t d = place_ == "xr" ? 1 : place_.size();
  if (numbers.size() % d != 0)
    throw BadInput(fmt::format("-probes has {} numbers; a point here has {}", numbers.size(), d));
  std::vector<std::array<double, 3>> out(numbers.size() / d);
  for (std::size_t i = 0; i < numbers.size(); ++i) out[i / d][i % d] = numbers[i];
  return out;
}

Material Reader::material(const std::string& prefix, const std::string& name) {
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

std::vector<std::string> Reader::material_names() {
  return split(options_.word(
      "materials", "",
      {"names of materials that fill regions: a,b,c; later ones win; each has -material_NAME_region (a formula, not 0 "
       "inside), _k, _rho, _c, _source"}));
}

Wall Reader::wall(const std::string& boundary) {
  const std::string own = fmt::format("bc_{}_", boundary);
  const std::vector<std::string> words(wall_words.begin(), wall_words.end());
  const auto common =
      options_.choice("bc_type", "symmetry", words, {"what happens on the sides that do not say it themselves"});
  const auto word = options_.choice(
      own + "type", common, words,
      {fmt::format("what happens on this side; dirichlet and flux have -{0}value (a formula), convection -{0}h and "
                   "-{0}ambient, radiation -{0}emissivity and -{0}ambient",
                   own)});
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

/// A value that the type of the side asks for: its own, else the one for all sides.
Expression Reader::needed(const std::string& own, const std::string& what, const std::string& type,
                          const core::About& about, const std::string& letters) {
  const auto common = options_.word("bc_" + what, "", about);
  const auto text = options_.word(own + what, common, about);
  if (text.empty())
    throw BadInput(fmt::format("-{}type is {}, which needs -{}{} (or -bc_{} for all sides): {}", own, type, own, what,
                               what, about.text));
  return {options_.given(own + what) ? own + what : "bc_" + what, text, letters};
}

} // namespace rhumb::heat
