#include "field_blocks.hpp"

#include <rhumb/grid/geometry.hpp>
#include <rhumb/io/snapshot_contents.hpp>
#include <array>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace rhumb::python {

namespace py = pybind11;

namespace {
/// Hands the values over to numpy without a copy.
template <class Value>
py::array_t<Value> array_of(std::vector<Value> values) {
  auto* kept = new std::vector<Value>(std::move(values)); // freed by the capsule
  const py::capsule owner(kept, [](void* memory) { delete static_cast<std::vector<Value>*>(memory); });
  return py::array_t<Value>(static_cast<py::ssize_t>(kept->size()), kept->data(), owner);
}

template <class Value>
py::dict block_dict(grid::Block<Value> block) {
  py::dict out;
  out["global"] = block.global;
  out["offset"] = block.offset;
  out["count"] = block.count;
  out["rows"] = array_of(std::move(block.rows));
  out["values"] = array_of(std::move(block.values));
  return out;
}

/// XDMF's names, as in the files.
constexpr std::array kinds{"none", "box", "moving", "unstructured"};
constexpr std::array shapes{"Polyline", "Triangle", "Quadrilateral", "Tetrahedron", "Pyramid", "Wedge", "Hexahedron"};
} // namespace

py::dict mesh_dict(dae::Problem& problem, double t, Vec y) {
  auto* geometry = dynamic_cast<grid::Geometry*>(&problem);
  grid::Mesh mesh = geometry ? geometry->mesh(t, y) : grid::Mesh{};
  py::dict out;
  out["kind"] = kinds.at(static_cast<std::size_t>(mesh.kind));
  py::list axes;
  for (auto& axis : mesh.axes) axes.append(py::make_tuple(axis.name, axis.unit, array_of(std::move(axis.points))));
  out["axes"] = axes;
  out["point_unit"] = mesh.point_unit;
  out["points"] = block_dict(std::move(mesh.points));
  py::list cells;
  for (auto& block : mesh.cells)
    cells.append(py::make_tuple(shapes.at(static_cast<std::size_t>(block.shape)), block_dict(std::move(block.nodes))));
  out["cells"] = cells;
  return out;
}

py::list field_list(MPI_Comm comm, dae::Problem& problem, double t, Vec y, Vec ydot) {
  auto* geometry = dynamic_cast<grid::Geometry*>(&problem);
  auto fields = geometry ? geometry->fields(t, y, ydot) : io::listed_fields(comm, problem, y);
  py::list out;
  for (auto& field : fields) {
    py::dict item = block_dict(std::move(field.data));
    item["name"] = field.name;
    item["unit"] = field.unit;
    item["long_name"] = field.long_name.empty() ? field.name : field.long_name;
    item["location"] = grid::name(field.location);
    item["components"] = field.components;
    out.append(item);
  }
  return out;
}

} // namespace rhumb::python
