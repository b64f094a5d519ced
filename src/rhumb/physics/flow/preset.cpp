#include <rhumb/physics/flow/case.hpp>

#include <cmath>
#include <complex>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>

namespace rhumb::flow {

using core::Range;

namespace {

using std::numbers::pi;

std::string repeated(const std::string& word, int times) {
  return fmt::format("{}", fmt::join(std::vector<std::string>(static_cast<std::size_t>(times), word), ","));
}

/// Cells drawn to the walls: at Re 1000 on 128 x 128 the extrema of the steady flow are then 0.3 % off, and 1.5 % on a
/// uniform grid.
Preset cavity(const PresetFacts& facts) {
  return {{"bc_type", "wall"},
          {"bc_top_type", "moving"},
          {"bc_top_u", "1"},
          {"stretch", repeated("1.6", facts.dimension)},
          {"t_end", "10"}};
}

/// u = U0 + sin(x - U0 t) cos(y - U0 t) e^(-2 nu t). On a square uniform grid the equations in space have the exact
/// solution of the same shape with speed U0 sin(h)/h, decay 2 nu (2 sin(h/2)/h)^2 and pressure times cos^2(h/2).
Preset taylor_green_plane(const PresetFacts& facts, double drift) {
  const auto fill = [](double speed, double decay, double pressure, double drift_of_mean) {
    return std::array<std::string, 3>{
        fmt::format("{0:.17g}+sin(x-{1:.17g}*t)*cos(y-{1:.17g}*t)*exp(-{2:.17g}*t)", drift_of_mean, speed, decay),
        fmt::format("{0:.17g}-cos(x-{1:.17g}*t)*sin(y-{1:.17g}*t)*exp(-{2:.17g}*t)", drift_of_mean, speed, decay),
        fmt::format("{0:.17g}*(cos(2*(x-{1:.17g}*t))+cos(2*(y-{1:.17g}*t)))*exp(-{2:.17g}*t)", 0.25 * pressure, speed,
                    2.0 * decay)};
  };
  Preset options{{"bc_type", "periodic"}, {"t_end", "1"}};
  const auto exact = fill(drift, 2.0 * facts.nu, 1.0, drift);
  const auto start = fill(0.0, 0.0, 1.0, drift);
  const std::array<const char*, 3> names{"u", "v", "p"};
  for (std::size_t f = 0; f < 3; ++f) options[fmt::format("exact_{}", names[f])] = exact[f];
  options["initial_u"] = fmt::format("{:.17g}+sin(x)*cos(y)", drift);
  options["initial_v"] = fmt::format("{:.17g}-cos(x)*sin(y)", drift);
  if (facts.cells[0] == facts.cells[1]) {
    const double h = 2.0 * pi / static_cast<double>(facts.cells[0]);
    const double wave = 2.0 * std::sin(0.5 * h) / h, half = std::cos(0.5 * h);
    const auto semi = fill(drift * std::sin(h) / h, 2.0 * facts.nu * wave * wave, half * half, drift);
    for (std::size_t f = 0; f < 3; ++f) options[fmt::format("semidiscrete_{}", names[f])] = semi[f];
  }
  return options;
}

Preset taylor_green(const PresetFacts& facts, const core::Options& options) {
  const double drift = options.real("u0", facts.dimension == 2 ? 1.0 : 0.0, {"speed at which the vortex is carried"});
  if (facts.dimension == 2) return taylor_green_plane(facts, drift);
  return {{"bc_type", "periodic"},
          {"t_end", "1"},
          {"initial_u", fmt::format("{:.17g}+sin(x)*cos(y)*cos(z)", drift)},
          {"initial_v", "-cos(x)*sin(y)*cos(z)"}};
}

/// Between plates at y = -1, 1, driven by K cos(omega t) along x. omega = 0: from rest to Poiseuille's parabola, the
/// solution being the series of the modes of the gap. Else Womersley's oscillation
///   u = Re( K/(i omega) (1 - cosh(s y)/cosh(s)) e^(i omega t) ),  s = sqrt(i omega/nu).
Preset channel(const PresetFacts& facts, const core::Options& options) {
  const double drive = options.real("drive", 2.0 * facts.nu, {"force along the channel"});
  const double omega = options.real("omega", 0.0, {"frequency of the force; 0: constant"}, Range::at_least(0.0));
  Preset read{{"bc_type", "wall"},
              {"bc_left_type", "periodic"},
              {"bc_right_type", "periodic"},
              {"exact_v", "0"},
              {"exact_p", "0"},
              {"t_end", "10"}};
  if (facts.dimension == 3)
    read.merge(Preset{{"bc_back_type", "periodic"}, {"bc_front_type", "periodic"}, {"exact_w", "0"}});
  if (options.given("bulk_velocity")) { // then the force is found, and there is no solution to compare with
    for (const char* exact : {"exact_v", "exact_w", "exact_p"}) read.erase(exact);
    return read;
  }
  if (omega == 0.0) {
    read["force_u"] = fmt::format("{:.17g}", drive);
    std::string series = fmt::format("{:.17g}*(1-y*y)", 0.5 * drive / facts.nu);
    for (int n = 0; n < 24; ++n) {
      const double m = (n + 0.5) * pi, amplitude = (n % 2 == 0 ? -2.0 : 2.0) * drive / (facts.nu * m * m * m);
      series += fmt::format("{:+.17g}*cos({:.17g}*y)*exp(-{:.17g}*t)", amplitude, m, facts.nu * m * m);
    }
    read["exact_u"] = series;
    return read;
  }
  const double k = std::sqrt(0.5 * omega / facts.nu);
  const std::complex<double> at_wall = std::cosh(std::complex<double>(k, k));
  const double c = at_wall.real(), d = at_wall.imag(), square = std::norm(at_wall);
  const std::string a = fmt::format("cosh({0:.17g}*y)*cos({0:.17g}*y)", k);
  const std::string b = fmt::format("sinh({0:.17g}*y)*sin({0:.17g}*y)", k);
  const std::string real = fmt::format("({0}*{1:.17g}+{2}*({3:.17g}))/{4:.17g}", a, c, b, d, square);
  const std::string imaginary = fmt::format("({2}*{1:.17g}-{0}*({3:.17g}))/{4:.17g}", a, c, b, d, square);
  read["force_u"] = fmt::format("{:.17g}*cos({:.17g}*t)", drive, omega);
  read["exact_u"] =
      fmt::format("{0:.17g}*((1-{2})*sin({1:.17g}*t)-({3})*cos({1:.17g}*t))", drive / omega, omega, real, imaginary);
  read["initial_u"] = fmt::format("{0:.17g}*(-({1}))", drive / omega, imaginary);
  read["t_end"] = fmt::format("{:.17g}", 2.0 * pi / omega);
  return read;
}

/// A square block in a channel with a parabolic inflow.
Preset obstacle() {
  return {{"bc_type", "wall"},
          {"bc_left_type", "inflow"},
          {"bc_left_u", "4*y*(1-y)"},
          {"bc_right_type", "outflow"},
          {"initial_u", "4*y*(1-y)"},
          {"solid", "(abs(x-1)<0.125)&&(abs(y-0.5)<0.125)"},
          {"t_end", "5"}};
}

/// The heated cavity in units of the free-fall velocity: nu = sqrt(Pr/Ra), kappa = 1/sqrt(Pr Ra).
Preset plume(const PresetFacts& facts, const core::Options& options) {
  const double prandtl = options.real("pr", 0.71, {"Prandtl number, nu/kappa"}, Range::positive());
  Preset read{{"bc_type", "wall"},
              {"scalar", "yes"},
              {"kappa", fmt::format("{:.17g}", facts.nu / prandtl)},
              {"buoyancy", facts.dimension == 2 ? "0,1" : "0,1,0"},
              {"bc_left_scalar_type", "value"},
              {"bc_left_scalar", "0.5"},
              {"bc_right_scalar_type", "value"},
              {"bc_right_scalar", "-0.5"},
              {"initial_T", "0.5-x"},
              {"t_end", "100"}};
  return read;
}

} // namespace

std::vector<std::string> preset_names() {
  return {"cavity", "taylor_green", "channel", "obstacle", "plume"};
}

Preset size_preset(const std::string& problem, int dimension) {
  const std::string zeros = repeated("0", dimension), ones = repeated("1", dimension);
  const std::string cells = repeated(dimension == 2 ? "64" : "32", dimension);
  if (problem == "taylor_green")
    return {{"re", dimension == 2 ? "100" : "1600"},
            {"n", cells},
            {"lower", zeros},
            {"upper", repeated(fmt::format("{:.17g}", 2.0 * pi), dimension)}};
  if (problem == "channel")
    return dimension == 2 ? Preset{{"re", "10"}, {"n", "8,64"}, {"lower", "0,-1"}, {"upper", "1,1"}}
                          : Preset{{"re", "10"}, {"n", "8,32,8"}, {"lower", "0,-1,0"}, {"upper", "1,1,1"}};
  if (problem == "obstacle")
    return dimension == 2 ? Preset{{"re", "50"}, {"n", "128,32"}, {"lower", "0,0"}, {"upper", "4,1"}}
                          : Preset{{"re", "50"}, {"n", "64,16,16"}, {"lower", "0,0,0"}, {"upper", "4,1,1"}};
  return {{"re", "100"}, {"n", cells}, {"lower", zeros}, {"upper", ones}};
}

Preset preset(const std::string& problem, const PresetFacts& facts, const core::Options& options) {
  if (problem == "taylor_green") return taylor_green(facts, options);
  if (problem == "channel") return channel(facts, options);
  if (problem == "obstacle") return obstacle();
  if (problem == "plume") return plume(facts, options);
  return cavity(facts);
}

} // namespace rhumb::flow
