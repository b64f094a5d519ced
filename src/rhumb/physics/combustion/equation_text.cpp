#include <rhumb/physics/combustion/equation_text.hpp>

#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <stdexcept>

namespace rhumb::combustion {

namespace {

/// "(+M)", "(+ M)": the collider; empty where the text is none.
std::string take_collider(std::string& side) {
  const auto open = side.find("(+");
  if (open == std::string::npos) return "";
  const auto close = side.find(')', open);
  if (close == std::string::npos) throw std::invalid_argument("`(+` without `)`");
  std::string name = side.substr(open + 2, close - open - 2);
  std::erase(name, ' ');
  if (name.empty()) throw std::invalid_argument("`(+)` names no third body");
  side.erase(open, close - open + 1);
  return name;
}

void add(EquationText::Side& side, const std::string& species, int count) {
  const auto found = std::ranges::find(side.terms, species, &std::pair<std::string, int>::first);
  if (found != side.terms.end())
    found->second += count;
  else
    side.terms.emplace_back(species, count);
}

EquationText::Side parse_side(std::string text) {
  EquationText::Side side;
  side.collider = take_collider(text);
  if (!side.collider.empty()) side.third = EquationText::Third::falloff;
  std::istringstream tokens(text);
  std::string token;
  int count = 1;
  bool wants_species = true;
  while (tokens >> token) {
    if (token == "+") {
      if (wants_species) throw std::invalid_argument("a `+` without a species before it");
      wants_species = true;
      continue;
    }
    if (!wants_species) throw std::invalid_argument(fmt::format("`{}` follows a species without a `+`", token));
    if (const auto number = core::parse_integer(token)) {
      if (*number < 1 || *number > 9) throw std::invalid_argument(fmt::format("{} molecules of a species", token));
      count = static_cast<int>(*number);
      continue;
    }
    if (core::parse_real(token)) throw std::invalid_argument(fmt::format("`{}`: counts are whole numbers", token));
    if (token == "M")
      side.third = EquationText::Third::body;
    else
      add(side, token, count);
    count = 1;
    wants_species = false;
  }
  if (wants_species) throw std::invalid_argument(side.terms.empty() ? "a side is empty" : "it ends with a `+`");
  return side;
}

} // namespace

EquationText parse_equation(const std::string& text) {
  EquationText equation;
  std::size_t at = text.find("<=>"), length = 3;
  if (at == std::string::npos) {
    at = text.find("=>");
    length = 2;
    equation.reversible = at == std::string::npos;
  }
  if (at == std::string::npos) {
    at = text.find(" = ");
    length = 3;
  }
  if (at == std::string::npos) throw std::invalid_argument("there is no <=>, => or =");
  equation.left = parse_side(text.substr(0, at));
  equation.right = parse_side(text.substr(at + length));
  if (equation.left.third != equation.right.third || equation.left.collider != equation.right.collider)
    throw std::invalid_argument("the third body must stand on both sides");
  return equation;
}

} // namespace rhumb::combustion
