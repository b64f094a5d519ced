#include "devices.hpp"

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::problems::spice {

namespace {
/// Zero stands for infinity there, as in SPICE.
double or_infinite(double value) {
  return value > 0.0 ? value : HUGE_VAL;
}

GummelPoon gummel_poon_of(const Element& element) {
  const Model& m = element.model;
  const double area = element.value;
  return {.nf = m.value("nf", 1.0),
          .nr = m.value("nr", 1.0),
          .vaf = or_infinite(m.value("vaf", 0.0)),
          .var = or_infinite(m.value("var", 0.0)),
          .ikf = area * or_infinite(m.value("ikf", 0.0)),
          .ikr = area * or_infinite(m.value("ikr", 0.0)),
          .ise = area * m.value("ise", 0.0),
          .ne = m.value("ne", 1.5),
          .isc = area * m.value("isc", 0.0),
          .nc = m.value("nc", 2.0)};
}
} // namespace

Device Device::of(const Element& element) {
  const Model& m = element.model;
  Device out;
  out.letter = element.letter;
  out.nodes = element.nodes;
  out.sign = m.type == "pnp" || m.type == "pmos" ? -1.0 : 1.0;
  out.saturation = element.value * m.value("is", element.letter == 'q' ? 1e-16 : 1e-14);
  out.emission = m.value("n", 1.0);
  out.forward_gain = m.value("bf", 100.0);
  out.reverse_gain = m.value("br", 1.0);
  out.more = gummel_poon_of(element);
  out.threshold = out.sign * m.value("vto", 0.0);
  const auto of_element = [&](const char* key, double otherwise) {
    const auto found = element.parameters.find(key);
    return found == element.parameters.end() ? otherwise : found->second;
  };
  const double kp = m.value("kp", 2e-5);
  const double size = element.value * of_element("w", 1e-4) / of_element("l", 1e-4);
  out.transconductance = size * kp;
  out.turned_transconductance = size * m.value("kpr", kp);
  out.body = m.value("gamma", 0.0);
  out.surface = m.value("phi", 0.6);
  out.modulation = m.value("lambda", 0.0);
  return out;
}

double Capacitance::at(double u) const {
  double sum = constant;
  if (zero_bias > 0.0)
    sum += u < forward * potential ? zero_bias * std::pow(1.0 - u / potential, -grading)
                                   : zero_bias * std::pow(1.0 - forward, -1.0 - grading) *
                                         (1.0 - forward * (1.0 + grading) + grading * u / potential);
  if (transit > 0.0) {
    const double vt = emission * thermal_voltage;
    sum += transit * saturation / vt * std::exp(std::min(u / vt, last_exponent));
  }
  return sum;
}

double Capacitance::slope_at(double u) const {
  double sum = 0.0;
  if (zero_bias > 0.0)
    sum += u < forward * potential ? zero_bias * grading / potential * std::pow(1.0 - u / potential, -grading - 1.0)
                                   : zero_bias * std::pow(1.0 - forward, -1.0 - grading) * grading / potential;
  if (const double vt = emission * thermal_voltage; transit > 0.0 && u / vt < last_exponent)
    sum += transit * saturation / (vt * vt) * std::exp(u / vt);
  return sum;
}

double Capacitance::charge_at(double u) const {
  double sum = constant * u;
  if (zero_bias > 0.0) {
    const double below = std::min(u, forward * potential), left = 1.0 - below / potential;
    const double of_depletion =
        grading == 1.0 ? -std::log(left) : (1.0 - std::pow(left, 1.0 - grading)) / (1.0 - grading);
    sum += zero_bias * potential * of_depletion;
    sum += zero_bias * std::pow(1.0 - forward, -1.0 - grading) *
           ((1.0 - forward * (1.0 + grading)) * (u - below) +
            0.5 * grading / potential * (u * u - below * below)); // zero below
  }
  if (transit > 0.0) sum += transit * saturation * (bounded_exp(u / (emission * thermal_voltage)) - 1.0);
  return sum;
}

double Capacitance::typical() const {
  constexpr double current = 1e-3; // A, in a junction that conducts
  return constant + zero_bias + transit * current / (emission * thermal_voltage);
}

std::vector<DeviceCapacitor> capacitors_of(const Element& element) {
  const Model& m = element.model;
  std::vector<DeviceCapacitor> out;
  const auto add = [&](int from, int to, Capacitance c, const char* which) {
    if (from != to && (c.constant > 0.0 || c.zero_bias > 0.0 || c.transit > 0.0))
      out.push_back({from, to, c, element.name + which});
  };
  const auto junction = [&](const char* value, const char* potential, const char* grading, const char* transit,
                            const char* emission, double vj, double mj) {
    Capacitance c;
    c.zero_bias = element.value * m.value(value, 0.0);
    c.potential = m.value(potential, vj);
    c.grading = m.value(grading, mj);
    c.forward = m.value("fc", 0.5);
    c.transit = m.value(transit, 0.0);
    c.saturation = element.value * m.value("is", element.letter == 'q' ? 1e-16 : 1e-14);
    c.emission = m.value(emission, 1.0);
    return c;
  };
  const auto& n = element.nodes;
  const bool reversed = m.type == "pnp" || m.type == "pmos";
  const auto p_to_n = [&](int p, int other, const Capacitance& c, const char* which) {
    add(reversed ? other : p, reversed ? p : other, c, which);
  };
  if (element.letter == 'd') add(n[0], n[1], junction("cjo", "vj", "m", "tt", "n", 1.0, 0.5), "");
  if (element.letter == 'q') {
    p_to_n(n[1], n[2], junction("cje", "vje", "mje", "tf", "nf", 0.75, 0.33), "_be");
    p_to_n(n[1], n[0], junction("cjc", "vjc", "mjc", "tr", "nr", 0.75, 0.33), "_bc");
  }
  if (element.letter == 'm') {
    const auto width = element.parameters.find("w");
    const double w = element.value * (width == element.parameters.end() ? 1e-4 : width->second);
    add(n[1], n[2], {.constant = w * m.value("cgso", 0.0)}, "_gs");
    add(n[1], n[0], {.constant = w * m.value("cgdo", 0.0)}, "_gd");
    p_to_n(n[3], n[0], junction("cbd", "pb", "mj", "", "n", 0.8, 0.5), "_bd");
    p_to_n(n[3], n[2], junction("cbs", "pb", "mj", "", "n", 0.8, 0.5), "_bs");
  }
  return out;
}

void check_model(const Element& element, const std::string& file) {
  static const std::map<char, std::vector<std::string>> known{
      {'d', {"is", "n", "cjo", "vj", "m", "fc", "tt", "level"}},
      {'q', {"is", "bf",  "br",  "nf",  "nr",  "vaf", "var", "ikf", "ikr", "ise", "ne",   "isc",
             "nc", "cje", "vje", "mje", "cjc", "vjc", "mjc", "tf",  "tr",  "fc",  "level"}},
      {'m',
       {"vto", "kp", "kpr", "gamma", "phi", "lambda", "cgso", "cgdo", "cbd", "cbs", "pb", "mj", "fc", "is", "level"}}};
  const auto names = known.find(element.letter);
  if (names == known.end()) return;
  for (const auto& [key, value] : element.model.values)
    if (std::ranges::find(names->second, key) == names->second.end())
      throw core::BadInput(fmt::format("{}, line {}: model {} has '{}', which is not known; nearest: {}", file,
                                       element.line, element.model.name, key, core::nearest(key, names->second)));
}

} // namespace rhumb::problems::spice
