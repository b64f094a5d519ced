#include <rhumb/physics/heat/mesh_case.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/heat/reader.hpp>
#include <fmt/format.h>

namespace rhumb::heat {

using core::BadInput;
using core::Options;

namespace {

void reject_what_boxes_have(const Options& options) {
  constexpr std::array<std::array<const char*, 2>, 6> theirs{
      {{"n", "the mesh has its cells (-refine splits them)"},
       {"lower", "the mesh has its own extent"},
       {"upper", "the mesh has its own extent"},
       {"symmetry", "cylinders and spheres are for boxes of one dimension; a mesh is plane or in space"},
       {"face_mean", "elements have no faces to take means on; materials meet where the mesh's groups do"},
       {"exact_profile", "it is the solution on a box's grid; -exact is for meshes too"}}};
  for (const auto& [name, why] : theirs)
    if (options.given(name)) throw BadInput(fmt::format("-{} does not go with -mesh: {}", name, why));
}

void read_materials(HeatReader& reader, const grid::Unstructured& mesh, MeshCase& read) {
  read.material_of_region.assign(mesh.regions().size(), 0);
  for (const auto& name : reader.material_names()) {
    const auto prefix = fmt::format("material_{}_", name);
    const int region = mesh.region(name, "materials");
    if (reader.options().given(prefix + "region"))
      throw BadInput(
          fmt::format("-{}region: on a mesh the material {} fills the physical group of that name", prefix, name));
    read.material_of_region[region] = static_cast<unsigned char>(read.materials.size());
    read.materials.push_back(reader.material(prefix, name));
  }
}

} // namespace

MeshCase read_mesh_case(const Options& options, const grid::Unstructured& mesh) {
  reject_what_boxes_have(options);
  HeatReader reader(options, std::string("xyz").substr(0, static_cast<std::size_t>(mesh.dimension())));
  MeshCase read{reader.statement(options.string("problem", "heat", {"name of the problem, for messages and files"}))};
  read_materials(reader, mesh, read);
  read.t_end = options.real("t_end", read.t_end, {"end of the run", "s"});
  for (const auto& name : mesh.boundaries()) {
    read.walls.push_back(reader.wall(name));
    if (read.walls.back().type == Wall::Type::periodic)
      throw BadInput(fmt::format("-bc_{}_type periodic is for boxes: a boundary of a mesh has no other side", name));
  }
  return read;
}

} // namespace rhumb::heat
