#include <rhumb/pde/fem/space.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>
#include <petscdmplex.h>
#include <petscds.h>

namespace rhumb::fem {

using core::check;

namespace {
constexpr double same_place = 1e-6; ///< of a cell's width
} // namespace

CellMaps::CellMaps(const grid::Unstructured& mesh) : dimension_(static_cast<std::size_t>(mesh.dimension())) {
  DM coordinates = nullptr;
  PetscSection section = nullptr;
  Vec positions = nullptr;
  check(DMGetCoordinateDM(mesh.dm(), &coordinates));
  check(DMGetCoordinateSection(mesh.dm(), &section));
  check(DMGetCoordinatesLocal(mesh.dm(), &positions));
  // Curved cells bring their element along.
  PetscObject found = nullptr;
  PetscInt fields = 0;
  check(DMGetNumFields(coordinates, &fields));
  if (fields > 0) check(DMGetField(coordinates, 0, nullptr, &found));
  PetscClassId kind = 0;
  if (found) check(PetscObjectGetClassId(found, &kind));
  if (kind == PETSCFE_CLASSID) {
    turned_ = mesh.shape() == grid::CellShape::tetrahedron;
    check(PetscObjectReference(found));
    fe_ = FeHandle(reinterpret_cast<PetscFE>(found));
  } else {
    check(PetscFECreateLagrange(PETSC_COMM_SELF, mesh.dimension(), mesh.dimension(),
                                mesh.simplex() ? PETSC_TRUE : PETSC_FALSE, 1, PETSC_DETERMINE, fe_.out()));
  }
  PetscInt functions = 0;
  check(PetscFEGetDimension(fe_, &functions));
  functions_ = functions;
  for (PetscInt cell = 0; cell < mesh.cells(); ++cell) {
    PetscInt count = 0;
    PetscScalar* values = nullptr;
    check(DMPlexVecGetClosure(coordinates, section, positions, cell, &count, &values));
    if (count != functions) throw std::logic_error("a cell's coordinates do not fit its element");
    coordinates_.insert(coordinates_.end(), values, values + count);
    check(DMPlexVecRestoreClosure(coordinates, section, positions, cell, &count, &values));
  }
}

namespace {
/// PETSc turns a tetrahedron's corners (the first two change places, and those of its reference cell are listed the
/// other way round), but leaves the nodes of curved ones as they are in the file: point xi of the turned cell is
/// (1, -1, -1) + turn (xi + 1) of the file's.
constexpr std::array<std::array<double, 3>, 3> turn{{{-1.0, -1.0, -1.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}};
} // namespace

std::vector<double> CellMaps::in_file_order(const std::vector<double>& points) const {
  if (!turned_) return points;
  std::vector<double> out;
  for (std::size_t q = 0; q < points.size(); q += 3)
    for (std::size_t i = 0; i < 3; ++i) {
      double xi = i == 0 ? 1.0 : -1.0;
      for (std::size_t k = 0; k < 3; ++k) xi += turn[i][k] * (points[q + k] + 1.0);
      out.push_back(xi);
    }
  return out;
}

CellMaps::Table CellMaps::at(const std::vector<double>& points) const {
  Table out;
  out.points = static_cast<PetscInt>(points.size() / dimension_);
  PetscTabulation found = nullptr;
  check(PetscFECreateTabulation(fe_, 1, out.points, in_file_order(points).data(), 1, &found));
  const std::size_t count = out.points * functions_ * dimension_;
  out.values.assign(found->T[0], found->T[0] + count);
  out.gradients.assign(found->T[1], found->T[1] + count * dimension_);
  check(PetscTabulationDestroy(&found));
  for (std::size_t f = 0; turned_ && f < out.gradients.size(); f += 3) {
    const std::array<double, 3> gradient{out.gradients[f], out.gradients[f + 1], out.gradients[f + 2]};
    for (std::size_t k = 0; k < 3; ++k)
      out.gradients[f + k] = gradient[0] * turn[0][k] + gradient[1] * turn[1][k] + gradient[2] * turn[2][k];
  }
  return out;
}

Position CellMaps::position(PetscInt cell, const Table& table, PetscInt point) const {
  const double* X = coordinates_.data() + cell * functions_;
  const double* phi = table.values.data() + point * functions_ * dimension_;
  Position x{};
  for (std::size_t b = 0; b < functions_; ++b)
    for (std::size_t i = 0; i < dimension_; ++i) x[i] += X[b] * phi[b * dimension_ + i];
  return x;
}

std::array<double, 9> CellMaps::jacobian(PetscInt cell, const Table& table, PetscInt point) const {
  const double* X = coordinates_.data() + cell * functions_;
  const double* phi = table.gradients.data() + point * functions_ * dimension_ * dimension_;
  std::array<double, 9> J{};
  for (std::size_t b = 0; b < functions_; ++b)
    for (std::size_t ik = 0; ik < dimension_ * dimension_; ++ik) J[ik] += X[b] * phi[b * dimension_ * dimension_ + ik];
  return J;
}

CellMaps::Bounds CellMaps::bounds(PetscInt cell) const {
  const double* X = coordinates_.data() + cell * functions_; // the directions in turn
  Bounds out{};
  for (std::size_t b = 0; b < functions_; ++b) {
    const std::size_t i = b % dimension_;
    out.lower[i] = b < dimension_ ? X[b] : std::min(out.lower[i], X[b]);
    out.upper[i] = b < dimension_ ? X[b] : std::max(out.upper[i], X[b]);
  }
  return out;
}

Space::Space(const grid::Unstructured& mesh, const std::vector<int>& orders) : mesh_(&mesh), maps_(mesh) {
  create_elements(orders);
  index_unknowns();
  find_closures();
  core::run_and_agree(mesh.comm(), [&] { find_positions(); });
}

void Space::create_elements(const std::vector<int>& orders) {
  check(DMClone(mesh_->dm(), dm_.out()));
  for (std::size_t c = 0; c < orders.size(); ++c) {
    const auto same = std::find(orders.begin(), orders.begin() + static_cast<std::ptrdiff_t>(c), orders[c]);
    const auto before = static_cast<std::size_t>(same - orders.begin());
    elements_.push_back(before < c ? elements_[before] : std::make_shared<const Lagrange>(cell(), orders[c]));
    check(DMAddField(dm_, nullptr, reinterpret_cast<PetscObject>(elements_.back()->fe())));
    offsets_.push_back(per_cell_);
    per_cell_ += elements_.back()->size();
  }
  check(DMCreateDS(dm_));
}

void Space::index_unknowns() {
  PetscSection local = nullptr, global = nullptr;
  check(DMGetLocalSection(dm_, &local));
  check(DMGetGlobalSection(dm_, &global));
  PetscInt size = 0, owned_size = 0, first = 0;
  check(PetscSectionGetStorageSize(local, &size));
  check(PetscSectionGetConstrainedStorageSize(global, &owned_size));
  const core::VecHandle model = create_vector();
  check(VecGetOwnershipRange(model, &first, nullptr));
  owned_of_local_.assign(size, -1);
  local_of_owned_.assign(owned_size, -1);
  component_of_.assign(size, 0);
  natural_.assign(size, -1);
  positions_.resize(size);
  for (PetscInt point = 0; point < mesh_->points(); ++point) {
    PetscInt offset = 0, global_offset = 0, count = 0;
    check(PetscSectionGetOffset(local, point, &offset));
    check(PetscSectionGetOffset(global, point, &global_offset));
    check(PetscSectionGetDof(local, point, &count));
    for (int c = 0; c < components(); ++c) {
      PetscInt begin = 0, in_field = 0;
      check(PetscSectionGetFieldOffset(local, point, c, &begin));
      check(PetscSectionGetFieldDof(local, point, c, &in_field));
      for (PetscInt i = begin; i < begin + in_field; ++i) component_of_[i] = c;
    }
    for (PetscInt i = 0; i < count; ++i) {
      if (global_offset >= 0) {
        owned_of_local_[offset + i] = global_offset - first + i;
        local_of_owned_[global_offset - first + i] = offset + i;
      }
    }
    if (count > 0) assign_natural_indices(point, offset);
  }
}

/// Unknowns in the order of the original points, depth by depth; all points of a depth have equally many.
void Space::assign_natural_indices(PetscInt point, PetscInt offset) {
  PetscSection section = nullptr;
  check(DMGetLocalSection(dm_, &section));
  PetscInt before = 0, count = 0;
  const int depth = mesh_->depth(point);
  for (int lower = 0; lower < depth; ++lower) {
    PetscInt per_point = 0;
    for (int c = 0; c < components(); ++c) {
      const PetscInt* dofs = nullptr;
      PetscDualSpace dual = nullptr;
      check(PetscFEGetDualSpace(element(c).fe(), &dual));
      check(PetscDualSpaceGetNumDof(dual, &dofs));
      per_point += dofs[lower];
    }
    before += per_point * mesh_->stratum(lower).count;
  }
  check(PetscSectionGetDof(section, point, &count));
  const PetscInt first = before + (mesh_->original(point) - mesh_->stratum(depth).first) * count;
  for (PetscInt i = 0; i < count; ++i) natural_[offset + i] = first + i;
}

std::vector<PetscInt> Space::natural_indices() const {
  std::vector<PetscInt> out(local_of_owned_.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = natural(local_of_owned_[i]);
  return out;
}

void Space::find_closures() {
  PetscSection section = nullptr;
  check(DMGetLocalSection(dm_, &section));
  closures_.reserve(mesh_->cells() * per_cell_);
  for (PetscInt cell = 0; cell < mesh_->cells(); ++cell) {
    PetscInt count = 0;
    PetscInt* indices = nullptr;
    check(DMPlexGetClosureIndices(dm_, section, section, cell, PETSC_TRUE, &count, &indices, nullptr, nullptr));
    if (count != per_cell_) throw std::logic_error("a cell's unknowns do not fit its elements");
    closures_.insert(closures_.end(), indices, indices + count);
    check(DMPlexRestoreClosureIndices(dm_, section, section, cell, PETSC_TRUE, &count, &indices, nullptr, nullptr));
  }
}

/// Cells that share a node must see it at one place: else their maps and their unknowns are numbered differently.
void Space::find_positions() {
  std::vector<char> known(positions_.size(), 0);
  for (int c = 0; c < components(); ++c) {
    const auto table = maps_.at(element(c).nodes());
    for (PetscInt cell = 0; cell < mesh_->cells(); ++cell) {
      const auto [lower, upper] = maps_.bounds(cell);
      for (PetscInt b = 0; b < element(c).size(); ++b) {
        const auto node = closure(cell)[offset(c) + b];
        const Position x = maps_.position(cell, table, b);
        for (std::size_t i = 0; i < 3 && known[node] != 0; ++i)
          if (std::abs(x[i] - positions_[node][i]) > same_place * (upper[i] - lower[i]))
            throw std::logic_error("two cells have a node of theirs at different places");
        positions_[node] = x;
        known[node] = 1;
      }
    }
  }
}

std::vector<char> Space::on_boundary(int boundary) const {
  PetscSection section = nullptr;
  check(DMGetLocalSection(dm_, &section));
  const core::VecHandle local = create_local(), all = create_vector();
  {
    const core::Writable mark(local);
    for (const auto& facet : mesh_->facets()) {
      if (facet.boundary != boundary) continue;
      PetscInt count = 0;
      PetscInt* closure = nullptr; // points and their orientations in turn
      check(DMPlexGetTransitiveClosure(dm_, facet.point, PETSC_TRUE, &count, &closure));
      for (PetscInt i = 0; i < count; ++i) {
        PetscInt offset = 0, size = 0;
        check(PetscSectionGetOffset(section, closure[2 * i], &offset));
        check(PetscSectionGetDof(section, closure[2 * i], &size));
        std::fill_n(mark.begin() + offset, size, 1.0);
      }
      check(DMPlexRestoreTransitiveClosure(dm_, facet.point, PETSC_TRUE, &count, &closure));
    }
  }
  sum_up(local, all); // a rank may have a vertex of the boundary without a facet of it
  to_local(all, local);
  const core::Readable mark(local);
  std::vector<char> out(mark.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = mark[i] > 0.0 ? 1 : 0;
  return out;
}

core::VecHandle Space::create_vector() const {
  core::VecHandle out;
  check(DMCreateGlobalVector(dm_, out.out()));
  check(VecSet(out, 0.0));
  return out;
}

core::VecHandle Space::create_local() const {
  core::VecHandle out;
  check(DMCreateLocalVector(dm_, out.out()));
  check(VecSet(out, 0.0));
  return out;
}

void Space::to_local(Vec y, Vec local) const {
  check(DMGlobalToLocalBegin(dm_, y, INSERT_VALUES, local));
  check(DMGlobalToLocalEnd(dm_, y, INSERT_VALUES, local));
}

void Space::sum_up(Vec local, Vec y) const {
  check(VecSet(y, 0.0));
  check(DMLocalToGlobalBegin(dm_, local, ADD_VALUES, y));
  check(DMLocalToGlobalEnd(dm_, local, ADD_VALUES, y));
}

} // namespace rhumb::fem
