#include <rhumb/core/failure.hpp>
#include <rhumb/pde/text/box_system.hpp>
#include <rhumb/pde/text/mesh_system.hpp>
#include <rhumb/pde/text/moving_system.hpp>
#include <fmt/format.h>

namespace rhumb::text {

namespace {

template <class System, class... Geometry>
std::unique_ptr<dae::Problem> make(bool compiled, Case read, Geometry&&... geometry) {
  auto problem = std::make_unique<System>(std::forward<Geometry>(geometry)..., std::move(read));
  if (compiled) problem->compile();
  return problem;
}

/// All fields of a box sit at the same points, where differences do not see what alternates from point to point.
void reject_pressures(const Model& model) {
  for (std::size_t f = 0; f < model.fields.size(); ++f)
    if (model.fields[f].kind == dae::Kind::index2 && model.only_slopes_of(f))
      throw core::BadInput(fmt::format(
          "{0}: '{1}' is left with '{2}', so it has index 2, and it stands in the equations with its derivatives "
          "alone, "
          "as a pressure does: on a box "
          "nothing would determine what of it alternates from point to point. Take a Gmsh mesh in place of n (mesh: "
          "meshes/square.msh; sides have the same names there), or rhumb-flow; or relax this equation by a small "
          "delta*lap({1}) - 1e-6*{1} on its other side",
          model.equations[f].source.origin, model.fields[f].name, model.equations[f].source.text));
}

std::unique_ptr<dae::Problem> make(MPI_Comm comm, const core::Options& options, Case read, bool compiled) {
  if (read.moving) {
    const bool line = read.model.dimension == 1;
    return (line ? make_moving_line : make_moving_plane)(comm, options, std::move(read), compiled);
  }
  if (!read.mesh) reject_pressures(read.model);
  if (!read.mesh) return make<BoxSystem>(compiled, std::move(read), comm);
  grid::Unstructured mesh = std::move(*read.mesh);
  return make<MeshSystem>(compiled, std::move(read), std::move(mesh));
}

} // namespace

std::unique_ptr<dae::Problem> make_pde(MPI_Comm comm, const core::Options& options) {
  Case read = read_case(comm, options);
  const auto compile = options.choice("compile", "no", {"yes", "no"}, {"compile the equations, or interpret them"});
  const bool has_equations = read.has_equations;
  auto problem = make(comm, options, std::move(read), compile == "yes");
  if (!has_equations) problem->set_objection("there is nothing to solve: no -equations");
  return problem;
}

} // namespace rhumb::text
