#include <rhumb/physics/flow/coupled_transfer.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>

namespace rhumb::flow {

using core::check;

namespace {

/// A level with fewer cells than this per rank lives on every rank.
constexpr PetscInt fewest_cells_per_rank = 1000;
/// Narrower blocks than this in one direction do not hold the ghosts of their neighbours.
constexpr PetscInt narrowest_block = 3;
/// Lines are not merged to fewer cells.
constexpr PetscInt fewest_cells = 4;

CellLine cells_of(const StaggeredLine& line, std::array<bool, 2> zero_at_ends) {
  CellLine out;
  for (PetscInt i = 0; i < line.cells(); ++i) out.width.push_back(line.width(i));
  out.periodic = line.periodic();
  out.open = zero_at_ends;
  return out;
}

CoarsenedLine merged(const CellLine& line, double limit) {
  CoarsenedLine out = coarsen(line, limit);
  return out.line.cells() < fewest_cells ? coarsen(line, 0.0) : out;
}

StaggeredLine line_of(const StaggeredLine& fine, const CoarsenedLine& coarsened) {
  std::vector<double> faces;
  for (const PetscInt first : coarsened.first) faces.push_back(fine.face(first));
  faces.push_back(fine.face(fine.cells()));
  return {std::move(faces), fine.periodic()};
}

bool holds(const Side& side) {
  return side.type == Side::Type::wall || side.type == Side::Type::moving || side.type == Side::Type::inflow;
}

} // namespace

bool CoupledTransfer::merges(const CoupledLevel& fine, double limit) {
  for (int d = 0; d < fine.grid().dimension(); ++d) {
    const CellLine line = cells_of(fine.grid().line(d), {});
    if (merged(line, limit).line.cells() < line.cells()) return true;
  }
  return false;
}

CoupledTransfer::CoupledTransfer(const Case& flow_case, const CoupledLevel& fine, double limit) : fine_(fine) {
  for (int d = 0; d < 3; ++d) {
    const double up_to = d < fine.grid().dimension() ? limit : 0.0;
    closed_lines_[d] = merged(cells_of(fine.grid().line(d), {}), up_to);
    open_lines_[d] = merged(cells_of(fine.grid().line(d), {true, true}), up_to);
  }
  create_coarse(flow_case);
  core::MatHandle up = create_matrix(Rows::interpolation), down = create_matrix(Rows::restriction);
  state_down_ = create_matrix(Rows::state);
  weight_restriction(down);
  weight_state();
  const core::IsHandle fine_u = rows_of(fine.transported()), fine_p = rows_of(fine.pressures());
  const auto block = [](Mat whole, IS row, IS column, core::MatHandle& out) {
    check(MatCreateSubMatrix(whole, row, column, MAT_INITIAL_MATRIX, out.out()));
  };
  block(up, fine_u, coarse_->transported(), velocity_up_);
  block(up, fine_p, coarse_->pressures(), pressure_up_);
  block(down, fine_u, coarse_->transported(), velocity_down_);
  block(down, fine_p, coarse_->pressures(), pressure_down_);
}

/// Unknowns of the fine level as rows of the matrices: those of a gathered level are of this rank alone.
core::IsHandle CoupledTransfer::rows_of(IS unknowns) const {
  const PetscInt* indices = nullptr;
  PetscInt count = 0;
  check(ISGetLocalSize(unknowns, &count));
  check(ISGetIndices(unknowns, &indices));
  std::vector<PetscInt> rows(indices, indices + count);
  check(ISRestoreIndices(unknowns, &indices));
  if (gathered_)
    for (auto& row : rows) row -= fine_.grid().first_unknown();
  core::IsHandle out;
  check(ISCreateGeneral(comm(), count, rows.data(), PETSC_COPY_VALUES, out.out()));
  return out;
}

MPI_Comm CoupledTransfer::comm() const {
  return gathered_ ? PETSC_COMM_SELF : fine_.grid().comm();
}

/// Volume of the fine row over that of the coarse one; no equation where a coarse row gives a value.
void CoupledTransfer::weight_restriction(Mat matrix) const {
  core::VecHandle fine, coarse;
  check(MatCreateVecs(matrix, coarse.out(), fine.out()));
  check(VecSet(coarse, 0.0));
  {
    const core::Writable volume(fine), inverse(coarse);
    const Boundary& boundary = coarse_->equations().boundary();
    for (int f = 0; f < fine_.grid().field_count(); ++f) {
      fine_.grid().for_each_unknown(
          f, [&](PetscInt owned, const Index& cell) { volume[owned] = fine_.grid().volume(f, cell); });
      coarse_->grid().for_each_unknown(f, [&](PetscInt owned, const Index& cell) {
        if (boundary.row(owned) == RowKind::balance) inverse[owned] = 1.0 / coarse_->grid().volume(f, cell);
      });
    }
  }
  check(MatDiagonalScale(matrix, fine, coarse));
}

/// Area of the fine face (volume of the cell) over the sum of those that come together.
void CoupledTransfer::weight_state() {
  const Staggered& grid = fine_.grid();
  core::VecHandle fine, coarse;
  check(MatCreateVecs(state_down_, coarse.out(), fine.out()));
  {
    const core::Writable area(fine);
    for (int f = 0; f < grid.field_count(); ++f)
      grid.for_each_unknown(f, [&](PetscInt owned, const Index& cell) {
        area[owned] = 1.0;
        for (int d = 0; d < grid.dimension(); ++d)
          if (d != f) area[owned] *= grid.line(d).width(cell[d]);
      });
  }
  check(MatMultTranspose(state_down_, fine, coarse));
  if (gathered_) sum_over_ranks(coarse);
  {
    const core::Writable inverse(coarse);
    for (double& value : inverse.span()) value = value > 0.0 ? 1.0 / value : 0.0;
  }
  check(MatDiagonalScale(state_down_, fine, coarse));
}

void CoupledTransfer::create_coarse(const Case& flow_case) {
  const Staggered& fine = fine_.grid();
  const Partition partition = partition_of(fine);
  std::vector<StaggeredLine> lines;
  Staggered::Cut cut;
  PetscInt cells = 1, narrowest = PETSC_MAX_INT;
  for (int d = 0; d < 3; ++d) {
    lines.push_back(line_of(fine.line(d), closed_lines_[d]));
    cells *= lines.back().cells();
    if (d >= fine.dimension()) continue;
    const auto& first = closed_lines_[d].first;
    auto& counts = cut.emplace_back();
    PetscInt before = 0;
    for (PetscInt r = 1; r <= partition.ranks(d); ++r) {
      const auto end = std::lower_bound(first.begin(), first.end(), partition.starts[d][r]) - first.begin();
      counts.push_back(static_cast<PetscInt>(end) - before);
      before = static_cast<PetscInt>(end);
      if (partition.ranks(d) > 1) narrowest = std::min(narrowest, counts.back());
    }
  }
  const PetscInt ranks = core::size_of(fine.comm());
  gathered_ = ranks > 1 && (cells < fewest_cells_per_rank * ranks || narrowest < narrowest_block);
  if (gathered_)
    for (auto& counts : cut) counts = {lines[&counts - cut.data()].cells()};
  const auto scalar = fine.has_scalar() ? Staggered::Scalar::present : Staggered::Scalar::absent;
  coarse_ = std::make_unique<CoupledLevel>(
      flow_case, std::make_unique<Staggered>(gathered_ ? PETSC_COMM_SELF : fine.comm(), std::move(lines), cut, scalar));
}

/// A face between two of a coarse cell lies between its ends.
CoupledTransfer::Stencil CoupledTransfer::along_faces(int direction, PetscInt face) const {
  const StaggeredLine& line = fine_.grid().line(direction);
  const CoarsenedLine& merged_line = closed_lines_[direction];
  if (face == line.cells()) return {{merged_line.line.cells(), 0}, {1.0, 0.0}};
  const PetscInt parent = merged_line.weights[face].parent, begin = merged_line.first[parent];
  if (begin == face) return {{parent, 0}, {1.0, 0.0}};
  const double share = (line.face(face) - line.face(begin)) / merged_line.line.width[parent];
  return {{parent, parent + 1}, {1.0 - share, share}};
}

CoupledTransfer::Stencil CoupledTransfer::across(int direction, PetscInt cell, Order order, int field) const {
  const Case& flow_case = fine_.equations().flow_case();
  const auto& closed = closed_lines_[direction].weights[cell];
  if (order == Order::constant) return {{closed.parent, 0}, {1.0, 0.0}};
  const PetscInt last = fine_.grid().line(direction).cells() - 1;
  const bool lower_half = cell < last - cell;
  const Side& side = flow_case.side(direction, lower_half ? 0 : 1);
  const int dimension = fine_.grid().dimension();
  const bool zero_at_end = field < dimension    ? holds(side)
                           : field == dimension ? side.type == Side::Type::outflow
                                                : side.scalar_type == Side::Scalar::value;
  const auto& weight = (zero_at_end ? open_lines_ : closed_lines_)[direction].weights[cell];
  return {{weight.parent, weight.parent + weight.side}, {weight.inside, weight.beside}};
}

CoupledTransfer::Stencil CoupledTransfer::stencil(int direction, const Index& cell, int field, Rows rows) const {
  const PetscInt i = cell[direction];
  if (direction >= fine_.grid().dimension()) return {{0, 0}, {1.0, 0.0}};
  if (direction != field) {
    const bool linear = rows == Rows::interpolation;
    return across(direction, i, linear ? Order::linear : Order::constant, field);
  }
  const Stencil out = along_faces(direction, i);
  return rows == Rows::state && out.weight[0] < 1.0 ? Stencil{} : out;
}

/// Calls emit(coarse offset, weight). Faces that a row gives have no part in corrections; a cell inside an obstacle
/// leaves its weight to the parent.
template <class Emit>
void CoupledTransfer::entries_of_row(Rows rows, int field, const Index& cell, Emit&& emit) const {
  const Staggered& coarse = coarse_->grid();
  const Boundary& boundary = coarse_->equations().boundary();
  const PetscInt slot = coarse.slot_of_field(field);
  const std::array<Stencil, 3> part{stencil(0, cell, field, rows), stencil(1, cell, field, rows),
                                    stencil(2, cell, field, rows)};
  const PetscInt parent = coarse.base(part[0].at[0], part[1].at[0], part[2].at[0]) + slot;
  for (const std::size_t k : {0, 1})
    for (const std::size_t j : {0, 1})
      for (const std::size_t i : {0, 1}) {
        const double weight = part[0].weight[i] * part[1].weight[j] * part[2].weight[k];
        if (weight == 0.0) continue;
        const Index to{part[0].at[i], part[1].at[j], part[2].at[k]};
        const bool solid = rows != Rows::state && field == coarse.dimension() && boundary.solid(to);
        emit(solid ? parent : coarse.base(to) + slot, weight);
      }
}

/// Calls emit(fine unknown, coarse unknown, weight).
template <class Emit>
void CoupledTransfer::for_each_entry(Rows rows, Emit&& emit) const {
  const Staggered &fine = fine_.grid(), &coarse = coarse_->grid();
  const Boundary& boundary = fine_.equations().boundary();
  const PetscInt first = gathered_ ? 0 : fine.first_unknown();
  for (int field = 0; field < fine.field_count(); ++field)
    fine.for_each_unknown(field, [&](PetscInt owned, const Index& cell) {
      if (rows == Rows::state && field == fine.dimension()) return;
      if (rows != Rows::state && boundary.row(owned) != RowKind::balance) return;
      entries_of_row(rows, field, cell,
                     [&](PetscInt offset, double weight) { emit(first + owned, coarse.global(offset), weight); });
    });
}

core::MatHandle CoupledTransfer::create_matrix(Rows rows) const {
  const Staggered &fine = fine_.grid(), &coarse = coarse_->grid();
  const PetscInt most = fine.dimension() == 2 ? 4 : 8; // coarse neighbours
  core::MatHandle out;
  check(MatCreateAIJ(comm(), fine.owned_count(), coarse.owned_count(), PETSC_DETERMINE, PETSC_DETERMINE, most, nullptr,
                     most, nullptr, out.out()));
  for_each_entry(rows, [&](PetscInt row, PetscInt column, double weight) {
    check(MatSetValue(out, row, column, weight, ADD_VALUES));
  });
  check(MatAssemblyBegin(out, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(out, MAT_FINAL_ASSEMBLY));
  return out;
}

void CoupledTransfer::sum_over_ranks(Vec coarse) const {
  const core::Writable values(coarse);
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.begin(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                                fine_.grid().comm()));
}

void CoupledTransfer::down(Mat matrix, Vec fine, Vec coarse) const {
  if (!gathered_) {
    check(MatMultTranspose(matrix, fine, coarse));
    return;
  }
  const core::Readable values(fine);
  core::VecHandle local;
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, static_cast<PetscInt>(values.size()), values.begin(), local.out()));
  check(MatMultTranspose(matrix, local, coarse));
  sum_over_ranks(coarse);
}

void CoupledTransfer::up(Mat matrix, Vec coarse, Vec fine) const {
  if (!gathered_) {
    check(MatMultAdd(matrix, coarse, fine, fine));
    return;
  }
  const core::Writable values(fine);
  core::VecHandle local;
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, static_cast<PetscInt>(values.size()), values.begin(), local.out()));
  check(MatMultAdd(matrix, coarse, local, local));
}

void CoupledTransfer::restrict_state() {
  down(state_down_, fine_.state(), coarse_->state());
}

void CoupledTransfer::restrict_residual(const SplitVec& fine, const SplitVec& coarse) const {
  down(velocity_down_, fine.u, coarse.u);
  down(pressure_down_, fine.p, coarse.p);
}

void CoupledTransfer::prolongate(const SplitVec& coarse, const SplitVec& fine) const {
  up(velocity_up_, coarse.u, fine.u);
  up(pressure_up_, coarse.p, fine.p);
}

} // namespace rhumb::flow
