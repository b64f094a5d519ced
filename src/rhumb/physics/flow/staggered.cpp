#include <rhumb/physics/flow/staggered.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <petscdmstag.h>

namespace rhumb::flow {

using core::check;

namespace {
constexpr PetscInt thick_slab = 4; // cells
constexpr PetscInt layers = 2;     // ghosts on each side: third-order upwinding reaches that far
} // namespace

StaggeredLine::StaggeredLine(PetscInt cells, double lower, double upper, double stretch, bool periodic)
    : cells_(cells), periodic_(periodic) {
  const auto count = static_cast<std::size_t>(cells + 2 * pad + 1);
  for (auto* v : {&face_, &width_, &gap_, &inverse_width_, &inverse_gap_, &lower_share_}) v->resize(count);
  const double length = upper - lower;
  const auto inside = [&](PetscInt i) {
    const double xi = static_cast<double>(i) / static_cast<double>(cells);
    if (stretch <= 0.0) return lower + length * xi;
    return lower + 0.5 * length * (1.0 + std::tanh(stretch * (2.0 * xi - 1.0)) / std::tanh(stretch));
  };
  for (PetscInt i = -pad; i <= cells + pad; ++i) {
    if (i >= 0 && i <= cells)
      face_[at(i)] = inside(i);
    else if (periodic)
      face_[at(i)] = i < 0 ? inside(i + cells) - length : inside(i - cells) + length;
    else
      face_[at(i)] = i < 0 ? 2.0 * lower - inside(-i) : 2.0 * upper - inside(2 * cells - i);
  }
  const double uniform = length / static_cast<double>(cells);
  for (PetscInt i = -pad; i < cells + pad; ++i)
    width_[at(i)] = stretch <= 0.0 ? uniform : face_[at(i + 1)] - face_[at(i)];
  set_metric();
}

StaggeredLine::StaggeredLine(std::vector<double> faces, bool periodic)
    : cells_(static_cast<PetscInt>(faces.size()) - 1), periodic_(periodic) {
  const auto count = static_cast<std::size_t>(cells_ + 2 * pad + 1);
  for (auto* v : {&face_, &width_, &gap_, &inverse_width_, &inverse_gap_, &lower_share_}) v->resize(count);
  // Outside: the other end's faces, or those inside mirrored, as often as a line of few cells needs it.
  const double lower = faces.front(), upper = faces.back(), length = upper - lower;
  const auto extended = [&](PetscInt i, auto&& again) -> double {
    if (i >= 0 && i <= cells_) return faces[static_cast<std::size_t>(i)];
    if (periodic) return i < 0 ? again(i + cells_, again) - length : again(i - cells_, again) + length;
    return i < 0 ? 2.0 * lower - again(-i, again) : 2.0 * upper - again(2 * cells_ - i, again);
  };
  for (PetscInt i = -pad; i <= cells_ + pad; ++i) face_[at(i)] = extended(i, extended);
  for (PetscInt i = -pad; i < cells_ + pad; ++i) width_[at(i)] = face_[at(i + 1)] - face_[at(i)];
  set_metric();
}

void StaggeredLine::set_metric() {
  for (PetscInt i = -pad + 1; i < cells_ + pad; ++i) {
    gap_[at(i)] = 0.5 * (width_[at(i - 1)] + width_[at(i)]);
    inverse_gap_[at(i)] = 1.0 / gap_[at(i)];
    lower_share_[at(i)] = 0.5 * width_[at(i - 1)] / gap_[at(i)];
  }
  for (PetscInt i = -pad; i < cells_ + pad; ++i) inverse_width_[at(i)] = 1.0 / width_[at(i)];
}

Staggered::Staggered(MPI_Comm comm, const grid::BoxShape& shape, const std::array<double, 3>& stretch, Scalar scalar)
    : comm_(comm), dimension_(shape.dimension()) {
  const int fields = dimension_ + (scalar == Scalar::present ? 2 : 1);
  shape.check_memory_demand(comm, fields, 2 * dimension_ + 1);
  for (std::size_t d = 0; d < 3; ++d) {
    if (d < shape.cells.size())
      lines_.emplace_back(shape.cells[d], shape.lower[d], shape.upper[d], stretch[d], shape.periodic[d]);
    else
      lines_.emplace_back(1, 0.0, 1.0, 0.0, true); // a flow in the plane is one cell thick
  }
  create_dm(shape, scalar);
  find_slots(scalar);
  assign_local_offsets();
}

Staggered::Staggered(MPI_Comm comm, std::vector<StaggeredLine> lines, const Cut& cut, Scalar scalar)
    : comm_(comm), dimension_(static_cast<int>(cut.size())), lines_(std::move(lines)) {
  create_dm(cut, scalar);
  find_slots(scalar);
  assign_local_offsets();
}

void Staggered::create_dm(const grid::BoxShape& shape, Scalar scalar) {
  std::array<DMBoundaryType, 3> boundary{};
  for (std::size_t d = 0; d < 3; ++d) boundary[d] = shape.periodic[d] ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_GHOSTED;
  const PetscInt at_cells = scalar == Scalar::present ? 2 : 1;
  // Slabs of the last direction while they are thick enough: the fast pressure solve wants them.
  int ranks = 1;
  core::check_mpi(MPI_Comm_size(comm_, &ranks));
  const PetscInt in_plane = shape.cells.back() >= thick_slab * ranks ? 1 : PETSC_DECIDE;
  if (dimension_ == 2)
    check(DMStagCreate2d(comm_, boundary[0], boundary[1], shape.cells[0], shape.cells[1], PETSC_DECIDE, PETSC_DECIDE, 0,
                         1, at_cells, DMSTAG_STENCIL_BOX, layers, nullptr, nullptr, dm_.out()));
  else
    check(DMStagCreate3d(comm_, boundary[0], boundary[1], boundary[2], shape.cells[0], shape.cells[1], shape.cells[2],
                         in_plane, in_plane, PETSC_DECIDE, 0, 0, 1, at_cells, DMSTAG_STENCIL_BOX, layers, nullptr,
                         nullptr, nullptr, dm_.out()));
  shape.set_up(dm_);
  read_corners();
  check_narrowest();
}

void Staggered::create_dm(const Cut& cut, Scalar scalar) {
  std::array<DMBoundaryType, 3> boundary{};
  for (std::size_t d = 0; d < 3; ++d) boundary[d] = lines_[d].periodic() ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_GHOSTED;
  const PetscInt at_cells = scalar == Scalar::present ? 2 : 1;
  const auto ranks = [&](std::size_t d) { return static_cast<PetscInt>(cut[d].size()); };
  if (dimension_ == 2)
    check(DMStagCreate2d(comm_, boundary[0], boundary[1], lines_[0].cells(), lines_[1].cells(), ranks(0), ranks(1), 0,
                         1, at_cells, DMSTAG_STENCIL_BOX, layers, cut[0].data(), cut[1].data(), dm_.out()));
  else
    check(DMStagCreate3d(comm_, boundary[0], boundary[1], boundary[2], lines_[0].cells(), lines_[1].cells(),
                         lines_[2].cells(), ranks(0), ranks(1), ranks(2), 0, 0, 1, at_cells, DMSTAG_STENCIL_BOX, layers,
                         cut[0].data(), cut[1].data(), cut[2].data(), dm_.out()));
  check(DMSetUp(dm_));
  read_corners();
}

void Staggered::read_corners() {
  check(DMStagGetCorners(dm_, &first_[0], &first_[1], &first_[2], &count_[0], &count_[1], &count_[2], &extra_[0],
                         &extra_[1], &extra_[2]));
  check(DMStagGetGhostCorners(dm_, &ghost_first_[0], &ghost_first_[1], &ghost_first_[2], &ghost_count_[0],
                              &ghost_count_[1], &ghost_count_[2]));
  if (dimension_ == 2) first_[2] = ghost_first_[2] = 0, count_[2] = ghost_count_[2] = 1, extra_[2] = 0;
}

void Staggered::check_narrowest() const {
  PetscInt narrowest = *std::min_element(count_.begin(), count_.begin() + dimension_);
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &narrowest, 1, MPIU_INT, MPI_MIN, comm_));
  if (narrowest < layers)
    throw core::BadInput(fmt::format("-n: a rank would get {} cell{} in one direction, and needs {}: use fewer ranks "
                                     "or more cells",
                                     narrowest, narrowest == 1 ? "" : "s", layers));
}

void Staggered::find_slots(Scalar scalar) {
  check(DMStagGetEntriesPerElement(dm_, &entries_));
  const std::array<DMStagStencilLocation, 3> faces{DMSTAG_LEFT, DMSTAG_DOWN, DMSTAG_BACK};
  for (int d = 0; d < dimension_; ++d) check(DMStagGetLocationSlot(dm_, faces[d], 0, &velocity_slot_[d]));
  check(DMStagGetLocationSlot(dm_, DMSTAG_ELEMENT, 0, &pressure_slot_));
  if (scalar == Scalar::present) check(DMStagGetLocationSlot(dm_, DMSTAG_ELEMENT, 1, &scalar_slot_));
  stride_ = {entries_, entries_ * ghost_count_[0], entries_ * ghost_count_[0] * ghost_count_[1]};
}

void Staggered::assign_local_offsets() {
  const core::VecHandle local = create_local(), y = create_vector();
  PetscInt count = 0, last = 0;
  check(VecGetLocalSize(local, &count));
  check(VecGetOwnershipRange(y, &first_unknown_, &last));
  owned_count_ = last - first_unknown_;
  ISLocalToGlobalMapping mapping = nullptr;
  const PetscInt* indices = nullptr;
  check(DMGetLocalToGlobalMapping(dm_, &mapping));
  check(ISLocalToGlobalMappingGetIndices(mapping, &indices));
  global_.assign(indices, indices + count);
  check(ISLocalToGlobalMappingRestoreIndices(mapping, &indices));
}

int Staggered::field_of_slot(PetscInt slot) const {
  for (int d = 0; d < dimension_; ++d)
    if (slot == velocity_slot_[d]) return d;
  return slot == pressure_slot_ ? dimension_ : dimension_ + 1;
}

PetscInt Staggered::slot_of_field(int field) const {
  if (field < dimension_) return velocity_slot_[field];
  return field == dimension_ ? pressure_slot_ : scalar_slot_;
}

Index Staggered::end() const {
  return {first_[0] + count_[0], first_[1] + count_[1], first_[2] + count_[2]};
}

Index Staggered::end_of_faces(int direction) const {
  Index last = end();
  last[direction] += extra_[direction];
  return last;
}

Index Staggered::ghost_end() const {
  return {ghost_first_[0] + ghost_count_[0], ghost_first_[1] + ghost_count_[1], ghost_first_[2] + ghost_count_[2]};
}

Position Staggered::position(int field, const Index& cell) const {
  Position x{};
  for (int d = 0; d < dimension_; ++d) x[d] = d == field ? line(d).face(cell[d]) : line(d).centre(cell[d]);
  return x;
}

double Staggered::volume(int field, const Index& cell) const {
  double product = 1.0;
  for (int d = 0; d < dimension_; ++d) {
    const PetscInt i = cell[d];
    const bool end = d == field && !line(d).periodic() && (i == 0 || i == line(d).cells());
    product *= d != field ? line(d).width(i) : line(d).gap(i) * (end ? 0.5 : 1.0);
  }
  return product;
}

core::VecHandle Staggered::create_vector() const {
  core::VecHandle vector;
  check(DMCreateGlobalVector(dm_, vector.out()));
  return vector;
}

core::VecHandle Staggered::create_local() const {
  core::VecHandle vector;
  check(DMCreateLocalVector(dm_, vector.out()));
  return vector;
}

void Staggered::scatter(Vec y, Vec local) const {
  check(DMGlobalToLocalBegin(dm_, y, INSERT_VALUES, local));
  check(DMGlobalToLocalEnd(dm_, y, INSERT_VALUES, local));
}

} // namespace rhumb::flow
