#include <rhumb/grid/box.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/memory.hpp>
#include <rhumb/grid/geometry.hpp>
#include <fmt/format.h>
#include <petscdmda.h>

namespace rhumb::grid {

using core::check;
using core::check_mpi;

namespace {

/// In one direction; PETSc's indices must count them.
constexpr double max_cells = 1e9;

DMBoundaryType boundary(const BoxShape& shape, int direction) {
  return shape.periodic[direction] ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE;
}

core::DmHandle create_dm(MPI_Comm comm, const BoxShape& shape, int fields) {
  core::DmHandle dm;
  shape.check_memory_demand(comm, fields, (2 * shape.dimension() + 1) * fields);
  const PetscInt dof = fields;
  const auto bx = boundary(shape, 0);
  if (shape.dimension() == 1) {
    check(DMDACreate1d(comm, bx, shape.nodes(0), dof, 1, nullptr, dm.out()));
  } else if (shape.dimension() == 2) {
    check(DMDACreate2d(comm, bx, boundary(shape, 1), DMDA_STENCIL_STAR, shape.nodes(0), shape.nodes(1), PETSC_DECIDE,
                       PETSC_DECIDE, dof, 1, nullptr, nullptr, dm.out()));
  } else {
    check(DMDACreate3d(comm, bx, boundary(shape, 1), boundary(shape, 2), DMDA_STENCIL_STAR, shape.nodes(0),
                       shape.nodes(1), shape.nodes(2), PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, dof, 1, nullptr,
                       nullptr, nullptr, dm.out()));
  }
  shape.set_up(dm);
  return dm;
}

} // namespace

PetscInt BoxShape::nodes(int direction) const {
  return cells[direction] + (periodic[direction] ? 0 : 1);
}

void BoxShape::check_memory_demand(MPI_Comm comm, int fields, int entries) const {
  double unknowns = fields;
  for (int d = 0; d < dimension(); ++d) unknowns *= static_cast<double>(cells[d]);
  core::check_memory_demand(comm, unknowns, entries, "-n: " + describe());
}

void BoxShape::set_up(DM dm) const {
  try {
    check(DMSetUp(dm));
  } catch (const core::LibraryError& error) {
    if (error.code() != PETSC_ERR_ARG_OUTOFRANGE) throw;
    int ranks = 1;
    check_mpi(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(dm)), &ranks));
    throw core::BadInput(
        fmt::format("-n: {} cannot be shared among {} ranks: use fewer ranks or more cells", describe(), ranks));
  }
}

double BoxShape::spacing(int direction) const {
  return (upper[direction] - lower[direction]) / static_cast<double>(cells[direction]);
}

std::string BoxShape::describe() const {
  std::string sizes, extents;
  for (int d = 0; d < dimension(); ++d) {
    const char* times = d == 0 ? "" : " x ";
    sizes += fmt::format("{}{}", times, cells[d]);
    extents += fmt::format("{}[{}, {}]{}", times, lower[d], upper[d], periodic[d] ? " periodic" : "");
  }
  return fmt::format("box {}, {}", sizes, extents);
}

BoxShape read_box(const core::Options& options, const BoxShape& defaults) {
  BoxShape shape = defaults;
  const std::vector<long> cells(defaults.cells.begin(), defaults.cells.end());
  const auto given =
      options.integers("n", cells, {"cells per direction: nx[,ny[,nz]], or 64x64"}, core::Range::between(2, max_cells));
  if (given.empty() || given.size() > 3)
    throw core::BadInput(fmt::format("-n takes one, two or three numbers of cells, not {}", given.size()));
  shape.cells.assign(given.begin(), given.end());
  for (const auto& [name, corner, text] : {std::tuple{"lower", &shape.lower, "lower corner: x[,y[,z]]"},
                                           std::tuple{"upper", &shape.upper, "upper corner: x[,y[,z]]"}}) {
    const auto values = options.reals(name, {corner->begin(), corner->begin() + shape.dimension()}, {text, "m"});
    if (values.size() != shape.cells.size())
      throw core::BadInput(fmt::format("-{} has {} numbers, but the box has {} directions (-n)", name, values.size(),
                                       shape.cells.size()));
    std::copy(values.begin(), values.end(), corner->begin());
  }
  for (int d = 0; d < shape.dimension(); ++d)
    if (!(shape.upper[d] > shape.lower[d]))
      throw core::BadInput(fmt::format("the box is empty in {}: -lower has {}, -upper has {}", "xyz"[d], shape.lower[d],
                                       shape.upper[d]));
  return shape;
}

Box::Box(MPI_Comm comm, BoxShape shape, int fields)
    : shape_(std::move(shape)), fields_(fields), comm_(comm), dm_(create_dm(comm, shape_, fields)) {
  check(DMDAGetCorners(dm_, &first_[0], &first_[1], &first_[2], &count_[0], &count_[1], &count_[2]));
  for (int d = 0; d < shape_.dimension(); ++d) {
    total_[d] = shape_.nodes(d);
    spacing_[d] = shape_.spacing(d);
    inverse_spacing_[d] = 1.0 / spacing_[d];
  }
  const PetscInt owned = owned_nodes();
  check_mpi(MPI_Scan(&owned, &first_node_, 1, MPIU_INT, MPI_SUM, comm_));
  first_node_ -= owned;
  find_halo();
}

void Box::find_halo() {
  std::array<PetscInt, 3> ghost_first{}, ghost_count{1, 1, 1};
  check(DMDAGetGhostCorners(dm_, &ghost_first[0], &ghost_first[1], &ghost_first[2], &ghost_count[0], &ghost_count[1],
                            &ghost_count[2]));
  ISLocalToGlobalMapping mapping = nullptr;
  check(DMGetLocalToGlobalMapping(dm_, &mapping));
  const PetscInt* indices = nullptr;
  check(ISLocalToGlobalMappingGetBlockIndices(mapping, &indices));
  const auto add = [&](std::array<PetscInt, 3> p) {
    const PetscInt ghosted =
        ((p[2] - ghost_first[2]) * ghost_count[1] + p[1] - ghost_first[1]) * ghost_count[0] + p[0] - ghost_first[0];
    halo_nodes_.push_back(indices[ghosted]);
    for (std::size_t d = 0; d < 3; ++d) p[d] = (p[d] + total_[d]) % total_[d];
    halo_points_.push_back(p);
  };
  for (int d = 0; d < shape_.dimension(); ++d)
    for (const int upper : {0, 1}) {
      const PetscInt across = upper == 1 ? first_[d] + count_[d] : first_[d] - 1;
      if (!shape_.periodic[d] && (across < 0 || across >= total_[d])) continue;
      face_[2 * d + upper] = static_cast<PetscInt>(halo_nodes_.size());
      std::array<PetscInt, 3> begin = first_, end{};
      for (std::size_t e = 0; e < 3; ++e) end[e] = first_[e] + count_[e];
      begin[d] = across;
      end[d] = across + 1;
      for (PetscInt k = begin[2]; k < end[2]; ++k)
        for (PetscInt j = begin[1]; j < end[1]; ++j)
          for (PetscInt i = begin[0]; i < end[0]; ++i) add({i, j, k});
    }
  check(ISLocalToGlobalMappingRestoreBlockIndices(mapping, &indices));
  int here = halo_nodes_.empty() ? 0 : 1, anywhere = 0;
  check_mpi(MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, comm_));
  any_halo_ = anywhere != 0;
}

std::array<PetscInt, 3> Box::point(PetscInt owned) const {
  return {first_[0] + owned % count_[0], first_[1] + owned / count_[0] % count_[1],
          first_[2] + owned / (count_[0] * count_[1])};
}

std::array<double, 3> Box::position(const std::array<PetscInt, 3>& point) const {
  std::array<double, 3> x{};
  for (int d = 0; d < shape_.dimension(); ++d)
    x[d] = shape_.lower[d] + static_cast<double>(point[d]) * shape_.spacing(d);
  return x;
}

std::string Box::position_text(PetscInt owned) const {
  const auto x = position(point(owned));
  return grid::position_text(std::span(x).first(shape_.cells.size()));
}

unsigned Box::sides(const std::array<PetscInt, 3>& point) const {
  unsigned bits = 0;
  for (int d = 0; d < shape_.dimension(); ++d) {
    if (shape_.periodic[d]) continue;
    if (point[d] == 0) bits |= 1U << (2 * d);
    if (point[d] == total_[d] - 1) bits |= 1U << (2 * d + 1);
  }
  return bits;
}

double Box::volume_share(const std::array<PetscInt, 3>& point) const {
  double share = 1.0;
  for (unsigned bits = sides(point); bits != 0; bits &= bits - 1) share *= 0.5;
  return share;
}

double Box::cell_volume() const {
  double volume = 1.0;
  for (int d = 0; d < shape_.dimension(); ++d) volume *= shape_.spacing(d);
  return volume;
}

Halo::Halo(const Box& box)
    : active_(box.has_halo()), values_(box.halo_nodes().size() * static_cast<std::size_t>(box.fields())) {
  if (!active_) return;
  const auto size = static_cast<PetscInt>(values_.size());
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, values_.data(), local_.out()));
  core::IsHandle from;
  check(ISCreateBlock(box.comm(), box.fields(), static_cast<PetscInt>(box.halo_nodes().size()), box.halo_nodes().data(),
                      PETSC_COPY_VALUES, from.out()));
  core::VecHandle model;
  check(DMCreateGlobalVector(box.dm(), model.out()));
  check(VecScatterCreate(model, from, local_, nullptr, scatter_.out()));
}

void Halo::begin(Vec vector) {
  if (active_) check(VecScatterBegin(scatter_, vector, local_, INSERT_VALUES, SCATTER_FORWARD));
}

void Halo::end(Vec vector) {
  if (active_) check(VecScatterEnd(scatter_, vector, local_, INSERT_VALUES, SCATTER_FORWARD));
}

} // namespace rhumb::grid
