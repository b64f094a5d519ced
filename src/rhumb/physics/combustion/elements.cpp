#include <rhumb/physics/combustion/elements.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace rhumb::combustion {

namespace {
struct Entry {
  const char* name;
  double grams;
};
constexpr std::array table{
    Entry{"H", 1.008},        Entry{"D", 2.0141017781}, Entry{"He", 4.002602},   Entry{"B", 10.81},
    Entry{"C", 12.011},       Entry{"N", 14.007},       Entry{"O", 15.999},      Entry{"F", 18.998403162},
    Entry{"Ne", 20.1797},     Entry{"Na", 22.98976928}, Entry{"Al", 26.9815384}, Entry{"Si", 28.085},
    Entry{"P", 30.973761998}, Entry{"S", 32.06},        Entry{"Cl", 35.45},      Entry{"Ar", 39.95},
    Entry{"K", 39.0983},      Entry{"Br", 79.904},      Entry{"Kr", 83.798},     Entry{"I", 126.90447},
    Entry{"Xe", 131.293},
};
} // namespace

std::optional<double> atomic_weight(const std::string& element) {
  const auto same = [&](const Entry& e) { // AR is Ar in many old mechanisms
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
