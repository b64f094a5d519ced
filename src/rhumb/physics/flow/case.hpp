#pragma once
/// A flow as a case file states it:
///   u_t + u.grad u + grad p = nu lap u + f + b T,   div u = 0,   T_t + u.grad T = kappa lap T
/// in a box, with what happens on each side. All lengths and velocities are in units of the problem's own, nu = 1/Re.

#include <rhumb/grid/box.hpp>
#include <rhumb/grid/expression.hpp>
#include <rhumb/physics/flow/random_velocity.hpp>
#include <rhumb/physics/flow/side_table.hpp>
#include <map>
#include <optional>

namespace rhumb::flow {

using grid::Expression;
using grid::Where;

/// index2: (6.5.3) of BCP as it stands. index1: the constraint differentiated once, C^T U' = 0 (BCP 6.5.4).
enum class Formulation : std::uint8_t { index2, index1 };

/// skew and divergence agree where div u = 0 and conserve kinetic energy; upwind3 adds third-order dissipation.
enum class Convection : std::uint8_t { skew, divergence, upwind3 };

/// What fixes the constant in the pressure when no side does: its mean is zero, or its value in one cell is.
/// automatic: pinned for direct solves, which need a matrix that is not singular.
enum class Level : std::uint8_t { automatic, mean, pinned };

/// Model of the scales that the grid does not carry (eddy_viscosity.hpp).
enum class Subgrid : std::uint8_t { none, smagorinsky, wale };

/// Cells whose centres snapshots hold; all fields of all cells without a region and with every = 1.
struct Selection {
  std::vector<double> region; ///< lower and upper end per direction; empty: the box
  long every = 1;
  bool whole() const { return region.empty() && every == 1; }
};

struct Side {
  enum class Type : std::uint8_t { wall, moving, inflow, outflow, slip, periodic };
  enum class Scalar : std::uint8_t { insulated, value, flux };
  Type type = Type::wall;
  std::array<std::optional<Expression>, 3> velocity; ///< none: zero, or from the table
  std::shared_ptr<const SideTable> table;            ///< velocities from a file
  Scalar scalar_type = Scalar::insulated;
  std::optional<Expression> scalar; ///< value, or flux into the fluid over kappa
};

inline constexpr std::array<const char*, 6> side_type_names{"wall", "moving", "inflow", "outflow", "slip", "periodic"};

/// Field names in the order of their numbers, for two and three directions.
std::vector<std::string> field_names(int dimension, bool scalar);

struct Case {
  std::string problem;
  grid::BoxShape shape;
  std::array<double, 3> stretch{};
  double nu = 0.01;
  double t_end = 1.0;
  Formulation formulation = Formulation::index2;
  Convection convection = Convection::skew;
  Level level = Level::automatic;
  bool quadratic_sides = false; ///< how velocities go on beyond sides (boundary.hpp)
  std::array<Side, 6> sides;
  std::array<std::optional<Expression>, 3> force;
  bool has_scalar = false;
  double kappa = 0.0;
  std::array<double, 3> buoyancy{};
  std::optional<Expression> solid;                                     ///< not zero inside obstacles
  std::vector<std::optional<Expression>> initial, exact, semidiscrete; ///< by field; none: zero, unknown
  std::vector<std::array<double, 3>> probes;
  RandomWaves turbulence;              ///< added to the initial velocity
  std::optional<double> bulk_velocity; ///< mean of u that a force along x keeps
  Subgrid subgrid = Subgrid::none;
  double subgrid_constant = 0.0;
  double backflow = 0.0;              ///< share of the energy that flows in through an outflow that is taken out
  std::optional<double> average_from; ///< time from which averages are taken
  Selection selection;
  double rtol = 1e-4; ///< where the user asks for no other
  double speed = 1.0; ///< of the flow, for absolute tolerances

  bool closed() const; ///< no side lets the pressure through
  const Side& side(int direction, int upper) const { return sides[2 * direction + upper]; }
};

/// Throws core::BadInput that names the option.
Case read_case(const core::Options& options);

/// What `-problem NAME` means: the value of each option that the user does not give.
using Preset = std::map<std::string, std::string>;
struct PresetFacts {
  int dimension;
  double nu;
  std::vector<PetscInt> cells;
};
std::vector<std::string> preset_names();
/// Options that say how large and how viscous the problem is.
Preset size_preset(const std::string& problem, int dimension);
/// All others, which may depend on those.
Preset preset(const std::string& problem, const PresetFacts& facts, const core::Options& options);

} // namespace rhumb::flow
