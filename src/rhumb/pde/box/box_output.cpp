#include <rhumb/pde/box/box_output.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>

namespace rhumb::box {

Mesh box_mesh(const Box& box) {
  Mesh mesh;
  mesh.kind = Mesh::Kind::box;
  const auto& shape = box.shape();
  for (int d = 0; d < shape.dimension(); ++d) {
    Axis axis{std::string(1, "xyz"[d]), "m", {}};
    for (PetscInt i = 0; i < shape.nodes(d); ++i)
      axis.points.push_back(shape.lower[d] + static_cast<double>(i) * shape.spacing(d));
    mesh.axes.push_back(std::move(axis));
  }
  return mesh;
}

FieldBlock box_field(const Box& box, const dae::Field& field, std::vector<double> values) {
  FieldBlock block{field.name, field.unit, field.long_name, Location::point, 1, {}};
  for (int d = box.shape().dimension() - 1; d >= 0; --d) { // z first
    block.data.global.push_back(static_cast<std::uint64_t>(box.shape().nodes(d)));
    block.data.offset.push_back(static_cast<std::uint64_t>(box.first()[d]));
    block.data.count.push_back(static_cast<std::uint64_t>(box.count()[d]));
  }
  block.data.values = std::move(values);
  return block;
}

std::vector<FieldBlock> box_fields(const Box& box, const std::vector<dae::Field>& fields, Vec y) {
  const core::Readable entries(y);
  std::vector<FieldBlock> blocks;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    std::vector<double> values;
    if (fields.size() == 1) {
      values.assign(entries.begin(), entries.end());
    } else {
      values.resize(entries.size() / fields.size());
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = entries[i * fields.size() + f];
    }
    blocks.push_back(box_field(box, fields[f], std::move(values)));
  }
  return blocks;
}

std::vector<PetscInt> box_natural_indices(const Box& box) {
  std::vector<PetscInt> indices;
  const PetscInt fields = box.fields(), nx = box.shape().nodes(0);
  const PetscInt ny = box.shape().dimension() > 1 ? box.shape().nodes(1) : 1;
  for (PetscInt owned = 0; owned < box.owned_nodes(); ++owned) {
    const auto p = box.point(owned);
    const PetscInt node = (p[2] * ny + p[1]) * nx + p[0];
    for (PetscInt f = 0; f < fields; ++f) indices.push_back(node * fields + f);
  }
  return indices;
}

core::VecHandle box_volumes(const Box& box) {
  core::VecHandle volumes;
  core::check(DMCreateGlobalVector(box.dm(), volumes.out()));
  core::check(VecSet(volumes, box.cell_volume()));
  return volumes;
}

} // namespace rhumb::box
