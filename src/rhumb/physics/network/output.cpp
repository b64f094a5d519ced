/// Files know a network as points and segments between them: the nodes first, then the inner volumes pipe by pipe on
/// straight lines between the nodes' places on the map. Machines are segments too, after those of the pipes.

#include <rhumb/core/arrays.hpp>
#include <rhumb/physics/network/pipes.hpp>
#include <fmt/format.h>

namespace rhumb::network {

using core::Readable;
using Type = Unknown::Type;

std::string Pipes::signature() const {
  return fmt::format("network {} nodes, {} pipes, {} machines, {} boundaries, {} unknowns", network_.nodes.size(),
                     network_.pipes.size(), network_.machines.size(), network_.boundaries.size(), layout_.size());
}

namespace {
std::uint64_t as_row(PetscInt i) {
  return static_cast<std::uint64_t>(i);
}
} // namespace

grid::Mesh Pipes::mesh(double, Vec) {
  constexpr std::uint64_t directions = 2;
  grid::Mesh mesh{.kind = grid::Mesh::Kind::unstructured};
  mesh.points.global = {as_row(layout_.points()), directions};
  grid::CellBlock segments{grid::CellShape::segment, {}};
  segments.nodes.global = {as_row(layout_.links()), 2};
  for (const Row& row : rows_) {
    const auto& [type, i, k] = row.unknown;
    if (type == Type::node) {
      mesh.points.rows.push_back(as_row(layout_.node(i)));
      mesh.points.values.insert(mesh.points.values.end(), {network_.nodes[i].x, network_.nodes[i].y});
    } else if (type == Type::volume) {
      const Node &from = network_.nodes[network_.pipes[i].from], &to = network_.nodes[network_.pipes[i].to];
      const double part = static_cast<double>(k) / static_cast<double>(layout_.cells(i));
      mesh.points.rows.push_back(as_row(layout_.point(i, k)));
      mesh.points.values.insert(mesh.points.values.end(),
                                {from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)});
    } else if (type == Type::segment) {
      segments.nodes.rows.push_back(as_row(layout_.segment_number(i, k)));
      segments.nodes.values.insert(segments.nodes.values.end(), {layout_.point(i, k), layout_.point(i, k + 1)});
    } else if (type == Type::machine) {
      const Machine& machine = network_.machines[i];
      segments.nodes.rows.push_back(as_row(layout_.link_of_machine(i)));
      segments.nodes.values.insert(segments.nodes.values.end(), {layout_.node(machine.from), layout_.node(machine.to)});
    }
  }
  if (layout_.links() > 0) mesh.cells.push_back(std::move(segments));
  return mesh;
}

std::vector<grid::FieldBlock> Pipes::fields(double, Vec y, Vec) {
  using grid::Location;
  const auto block = [](const char* name, const char* unit, const char* what, Location location, PetscInt size) {
    return grid::FieldBlock{
        .name = name, .unit = unit, .long_name = what, .location = location, .data = {.global = {as_row(size)}}};
  };
  const auto count = [](std::size_t n) { return static_cast<PetscInt>(n); };
  std::vector<grid::FieldBlock> blocks{
      block("pressure", "Pa", "pressure", Location::point, layout_.points()),
      block("density", "kg/m^3", "density", Location::point, layout_.points()),
      block("flow", "kg/s", "mass flow", Location::cell, layout_.links()),
      block("machine_flow", "kg/s", "mass flow of machines", Location::none, count(network_.machines.size())),
      block("boundary_flow", "kg/s", "mass flow into the network", Location::none, count(network_.boundaries.size())),
      block("mass_in", "kg", "mass that has come in", Location::none, count(network_.boundaries.size()))};
  if (settings_.thermal) blocks.push_back(block("temperature", "K", "temperature", Location::point, layout_.points()));
  gathered_->fetch(y);
  const auto put = [&](std::size_t which, PetscInt position, double value) {
    blocks[which].data.rows.push_back(as_row(position));
    blocks[which].data.values.push_back(value);
  };
  const Readable value(y);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto& [type, i, k] = rows_[r].unknown;
    if (type == Type::node || type == Type::volume) {
      const PetscInt point = type == Type::node ? layout_.node(i) : layout_.point(i, k);
      const auto state = state_of(rows_[r], value[r]);
      put(0, point, state.pressure);
      put(1, point, state.density);
      if (settings_.thermal) put(blocks.size() - 1, point, state.temperature);
    }
    if (type == Type::segment) put(2, layout_.segment_number(i, k), value[r]);
    if (type == Type::machine) put(2, layout_.link_of_machine(i), value[r]);
    if (type == Type::machine) put(3, count(i), value[r]);
    if (type == Type::boundary) put(4, count(i), value[r]);
    if (type == Type::account) put(5, count(i), value[r]);
  }
  std::erase_if(blocks, [](const grid::FieldBlock& field) { return field.data.global[0] == 0; });
  return blocks;
}

} // namespace rhumb::network
