#include <rhumb/pde/text/box_system.hpp>
#include <rhumb/pde/text/mesh_system.hpp>
#include <rhumb/pde/text/moving_system.hpp>

namespace rhumb::text {

namespace {

template <class System, class... Geometry>
std::unique_ptr<dae::Problem> make(bool compiled, Case read, Geometry&&... geometry) {
  auto problem = std::make_unique<System>(std::forward<Geometry>(geometry)..., std::move(read));
  if (compiled) problem->compile();
  return problem;
}

std::unique_ptr<dae::Problem> make(MPI_Comm comm, const core::Options& options, Case read, bool compiled) {
  if (read.moving) {
    const bool line = read.model.dimension == 1;
    return (line ? make_moving_line : make_moving_plane)(comm, options, std::move(read), compiled);
  }
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
