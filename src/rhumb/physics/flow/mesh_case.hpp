#pragma once
/// A flow on a mesh as a case file states it: the equations of case.hpp, with what happens on each boundary that the
/// mesh names, and what is measured: coefficients of the force on a body, a difference of pressures.

#include <rhumb/grid/expression.hpp>
#include <rhumb/grid/unstructured.hpp>
#include <optional>

namespace rhumb::flow {

using grid::Expression;

struct MeshBoundary {
  enum class Type : std::uint8_t { wall, moving, inflow, outflow, slip };
  std::string name;
  Type type = Type::wall;
  std::array<std::optional<Expression>, 3> velocity; ///< none: zero
};

/// Coefficients c = 2 F / (speed^2 area) of the force on a boundary.
struct Body {
  int boundary = -1; ///< -1: none
  double speed = 1.0, length = 1.0, area = 1.0;
};

struct MeshCase {
  std::string problem;
  grid::Unstructured mesh;
  int order = 2; ///< of the velocity; the pressure has one less
  double nu = 0.01;
  double grad_div = 0.0;                ///< gamma in gamma grad(div u), which is zero for the exact solution
  std::vector<MeshBoundary> boundaries; ///< as the mesh numbers them
  std::array<std::optional<Expression>, 3> force;
  std::vector<std::optional<Expression>> initial, exact; ///< by field; none: zero, unknown
  bool exact_in_elements = false; ///< the elements hold the exact solution: there is an error in time alone
  Body body;
  std::vector<std::array<double, 3>> probes, pressure_pair; ///< the latter: none or two places
  double rtol = 1e-4;
  double speed = 1.0;
  double t_end = 1.0;

  int dimension() const { return mesh.dimension(); }
  bool closed() const; ///< no boundary lets the pressure through
};

/// Throws core::BadInput that names the option.
MeshCase read_mesh_case(MPI_Comm comm, const core::Options& options);

} // namespace rhumb::flow
