#include <rhumb/pde/text/box_system.hpp>
#include <rhumb/pde/text/mesh_system.hpp>

namespace rhumb::text {

namespace {

template <class System, class... Geometry>
std::unique_ptr<dae::Problem> make(const std::string& compile, Case read, Geometry&&... geometry) {
  const bool has_equations = read.has_equations;
  auto problem = std::make_unique<System>(std::forward<Geometry>(geometry)..., std::move(read));
  if (compile == "yes") problem->compile();
  if (!has_equations) problem->set_objection("there is nothing to solve: no -equations");
  return problem;
}

} // namespace

std::unique_ptr<dae::Problem> make_pde(MPI_Comm comm, const core::Options& options) {
  Case read = read_case(comm, options);
  const auto compile = options.choice("compile", "no", {"yes", "no"}, {"compile the equations, or interpret them"});
  if (!read.mesh) return make<BoxSystem>(compile, std::move(read), comm);
  grid::Unstructured mesh = std::move(*read.mesh);
  return make<MeshSystem>(compile, std::move(read), std::move(mesh));
}

} // namespace rhumb::text
