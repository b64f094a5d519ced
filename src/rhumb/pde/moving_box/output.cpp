#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/stored_count.hpp>
#include <rhumb/pde/moving_box/box_problem.hpp>
#include <fmt/format.h>

/// What a run on a moving mesh writes: snapshots, checkpoints' memory.

namespace rhumb::moving_box {

std::vector<double> BoxProblem::saved_state() const {
  std::vector<double> numbers{smallest_volume_,   worst_quality_,     space_.error,
                              space_.t,           space_.position[0], space_.position[1],
                              space_.position[2], stopped_,           static_cast<double>(integrals_at_start_.size())};
  numbers.insert(numbers.end(), integrals_at_start_.begin(), integrals_at_start_.end());
  numbers.push_back(static_cast<double>(times_.size()));
  numbers.insert(numbers.end(), times_.begin(), times_.end());
  numbers.insert(numbers.end(), fronts_.begin(), fronts_.end());
  return numbers;
}

void BoxProblem::restore_state(std::span<const double> numbers) {
  constexpr std::size_t head = 8;
  std::size_t at = 0;
  const auto wrong = [] { return core::BadInput("the checkpoint's memory is not that of a moving box"); };
  const auto take = [&](std::size_t count) {
    if (count > numbers.size() - at) throw wrong();
    at += count;
    return numbers.subspan(at - count, count);
  };
  const auto count = [&](const char* what) { return core::stored_count(take(1)[0], numbers.size(), what); };
  const auto values = take(head);
  smallest_volume_ = values[0];
  worst_quality_ = values[1];
  space_ = {values[2], values[3], {values[4], values[5], values[6]}};
  stopped_ = values[7];
  const auto integrals = take(count("the number of integrals"));
  const std::size_t times = count("the number of times");
  const auto when = take(times), fronts = take(times);
  if (at != numbers.size()) throw wrong();
  integrals_at_start_.assign(integrals.begin(), integrals.end());
  times_.assign(when.begin(), when.end());
  fronts_.assign(fronts.begin(), fronts.end());
}

std::string BoxProblem::signature() const {
  return fmt::format("{}, {}, {} unknowns", simplices_.description(), moves() ? "moving" : "fixed", unknowns());
}

grid::Mesh BoxProblem::mesh(double, Vec y) {
  load(y, nullptr);
  grid::Mesh mesh;
  mesh.kind = grid::Mesh::Kind::unstructured;
  mesh.points.global = {simplices_.total_nodes(), static_cast<std::uint64_t>(dimension())};
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i) {
    const PetscInt node = simplices_.owned(i);
    mesh.points.rows.push_back(static_cast<std::uint64_t>(simplices_.natural(node)));
    for (int d = 0; d < dimension(); ++d) mesh.points.values.push_back(position(node, d));
  }
  grid::CellBlock cells{dimension() == 2 ? grid::CellShape::triangle : grid::CellShape::tetrahedron, {}};
  cells.nodes.global = {simplices_.total(), static_cast<std::uint64_t>(simplices_.vertices())};
  for (PetscInt e = 0; e < simplices_.count(); ++e) {
    if (!simplices_.is_counted(e)) continue;
    cells.nodes.rows.push_back(simplices_.index(e));
    for (int a = 0; a < simplices_.vertices(); ++a)
      cells.nodes.values.push_back(simplices_.natural(simplices_.corners(e)[a]));
  }
  mesh.cells.push_back(std::move(cells));
  return mesh;
}

std::vector<grid::FieldBlock> BoxProblem::fields(double, Vec y, Vec) {
  const core::Readable entries(y);
  std::vector<grid::FieldBlock> blocks;
  for (int f = 0; f < unknowns(); ++f) {
    if (is_coordinate(f) || (has_contents() && f >= content(0))) continue;
    const auto& field = fields_[f];
    grid::FieldBlock block{field.name, field.unit, field.long_name, grid::Location::point, 1, {}};
    block.data.global = {simplices_.total_nodes()};
    for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i) {
      block.data.rows.push_back(static_cast<std::uint64_t>(simplices_.natural(simplices_.owned(i))));
      block.data.values.push_back(entries[i * unknowns() + f]);
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::vector<PetscInt> BoxProblem::natural_indices() const {
  std::vector<PetscInt> numbers;
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i)
    for (int f = 0; f < unknowns(); ++f) numbers.push_back(simplices_.natural(simplices_.owned(i)) * unknowns() + f);
  return numbers;
}

} // namespace rhumb::moving_box
