#pragma once
/// A case of the user: the box or the mesh, and the system of PDEs that the options (most of them from a case file)
/// describe.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/grid/box.hpp>
#include <rhumb/grid/unstructured.hpp>
#include <rhumb/pde/text/model.hpp>
#include <functional>
#include <map>
#include <memory>
#include <span>

namespace rhumb::text {

struct Case {
  std::string title;
  grid::BoxShape shape;
  std::unique_ptr<grid::Unstructured> mesh; ///< instead of the box
  bool moving = false;                      ///< the points of the line, the box's triangles or the mesh move
  std::vector<std::string> sides;           ///< of the box, or the mesh's boundaries
  std::vector<int> orders;                  ///< on a mesh: of the fields' elements
  Model model;
  /// Initial values that come from other runs, by field: functions of the position.
  std::map<std::size_t, std::function<double(std::span<const double>)>> stored;
  Node monitor = 0;                 ///< what attracts points that move, with -monitor own
  std::vector<std::string> origins; ///< of the model's reductions, for messages
  bool has_equations = false;
};

/// Reads tables on rank 0. Collective. Throws BadInput with the line, the position and the nearest name of what is wrong.
Case read_case(MPI_Comm comm, const core::Options& options);

/// Reads a case from the options and makes the problem.
std::unique_ptr<dae::Problem> make_pde(MPI_Comm comm, const core::Options& options);

} // namespace rhumb::text
