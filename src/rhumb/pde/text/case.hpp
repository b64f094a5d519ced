#pragma once
/// A case of the user: the box and the system of PDEs that the options (most of them from a case file) describe.

#include <rhumb/core/options.hpp>
#include <rhumb/grid/box.hpp>
#include <rhumb/pde/text/model.hpp>

namespace rhumb::text {

struct Case {
  std::string title;
  grid::BoxShape shape;
  Model model;
  bool has_equations = false;
};

/// Reads tables on rank 0. Collective. Throws BadInput with the line, the position and the nearest name of what is wrong.
Case read_case(MPI_Comm comm, const core::Options& options);

} // namespace rhumb::text
