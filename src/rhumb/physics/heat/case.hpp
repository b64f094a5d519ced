#pragma once
/// A heat problem as a case file states it:
///   rho c(T) T_t = div(k(x, t, T) grad T) + s(x, t, T)
/// on a box, or in one dimension with cylindrical or spherical symmetry; mesh_case.hpp is its sister. Every coefficient
/// is an expression.

#include <rhumb/grid/box.hpp>
#include <rhumb/grid/expression.hpp>
#include <optional>

namespace rhumb::heat {

using grid::Expression;

/// T_t's share of the metric in one dimension: areas grow as r^m.
enum class Symmetry : std::uint8_t { planar = 0, cylinder = 1, sphere = 2 };

/// Conductivity of the face between two points: harmonic keeps the flux right where materials meet, arithmetic is the
/// smoother one for a conductivity that varies with T.
enum class FaceMean : std::uint8_t { harmonic, arithmetic };

/// A material, where it is, and what it is like. Of materials that overlap the last one named counts.
struct Material {
  std::string name;                 ///< empty: the body, everywhere; on a mesh that of a group of cells
  std::optional<Expression> region; ///< on a box: not zero inside
  Expression k;                     ///< W/(m K)
  Expression capacity;              ///< rho c, J/(m^3 K)
  Expression source;                ///< W/m^3
};

/// What happens on a side. Heat flows into the body at q = flux + h (ambient - T) + emissivity sigma (ambient^4 - T^4).
struct Wall {
  enum class Type : std::uint8_t { symmetry, dirichlet, flux, convection, radiation, periodic };
  Type type = Type::symmetry;
  std::optional<Expression> value;       ///< dirichlet: T; flux: q into the body, W/m^2
  std::optional<Expression> coefficient; ///< convection: h, W/(m^2 K); radiation: the emissivity
  std::optional<Expression> ambient;     ///< convection and radiation: temperature of the surroundings, K
};

inline constexpr std::array<const char*, 6> wall_type_names{"symmetry",   "dirichlet", "flux",
                                                            "convection", "radiation", "periodic"};

/// What a case says whatever its domain.
struct Statement {
  std::string problem;
  std::vector<Material> materials; ///< the body first
  Expression initial;
  std::optional<Expression> exact; ///< the solution, where it is known
  std::vector<double> watch_times; ///< when errors are taken, beside the end
  std::vector<std::array<double, 3>> probes;
  double stefan_boltzmann = 5.670374419e-8;
};

/// On a box.
struct Case : Statement {
  grid::BoxShape shape;
  Symmetry symmetry = Symmetry::planar;
  FaceMean mean = FaceMean::harmonic;
  std::array<Wall, 6> walls{};
  std::optional<Expression> exact_profile{}; ///< f, where the start is the product of f(x), f(y), f(z); see modes.hpp
};

/// Throws core::BadInput that names the option.
Case read_case(const core::Options& options);

} // namespace rhumb::heat
