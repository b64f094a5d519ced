#include <rhumb/physics/combustion/elements.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace rhumb::combustion {

namespace {
struct ElementData {
  const char* name;
  double grams;
};
constexpr std::array table{
    ElementData{"H", 1.008},        ElementData{"D", 2.0141017781}, ElementData{"He", 4.002602},
    ElementData{"B", 10.81},        ElementData{"C", 12.011},       ElementData{"N", 14.007},
    ElementData{"O", 15.999},       ElementData{"F", 18.998403162}, ElementData{"Ne", 20.1797},
    ElementData{"Na", 22.98976928}, ElementData{"Al", 26.9815384},  ElementData{"Si", 28.085},
    ElementData{"P", 30.973761998}, ElementData{"S", 32.06},        ElementData{"Cl", 35.45},
    ElementData{"Ar", 39.95},       ElementData{"K", 39.0983},      ElementData{"Br", 79.904},
    ElementData{"Kr", 83.798},      ElementData{"I", 126.90447},    ElementData{"Xe", 131.293},
};
} // namespace

std::optional<double> atomic_weight(const std::string& element) {
  const auto same = [&](const ElementData& e) { // AR is Ar in many old mechanisms
    const std::string name(e.name);
    return name.size() == element.size() && std::equal(name.begin(), name.end(), element.begin(), [](char a, char b) {
             return std::toupper(static_cast<unsigned char>(a)) == std::toupper(static_cast<unsigned char>(b));
           });
  };
  const auto found = std::ranges::find_if(table, same);
  if (found == table.end()) return std::nullopt;
  return found->grams * 1e-3;
}

} // namespace rhumb::combustion
