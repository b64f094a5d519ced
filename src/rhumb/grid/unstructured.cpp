#include <rhumb/grid/unstructured.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/memory.hpp>
#include <rhumb/grid/bisection.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <petscdmplex.h>
#include <petscsf.h>

namespace rhumb::grid {

using core::check;

namespace {

using SfHandle = core::Handle<PetscSF, PetscSFDestroy>;

/// What a name should have been.
int find_name(const std::vector<std::string>& names, const std::string& name, const std::string& what,
              const Unstructured& mesh) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<int>(at - names.begin());
  if (names.empty())
    throw core::BadInput(
        fmt::format("{} '{}': the mesh {} names none (Physical groups in the .geo file)", what, name, mesh.file()));
  const auto nearest = core::nearest(name, names);
  throw core::BadInput(fmt::format("{} '{}': the mesh {} has none of that name; it has {}{}", what, name, mesh.file(),
                                   fmt::join(names, ", "),
                                   nearest.empty() ? "" : fmt::format(" (nearest: {})", nearest)));
}

/// The group's tag of each point, -1 where it is in none.
class Tags {
public:
  Tags(DM dm, const char* label) { check(DMGetLabel(dm, label, &label_)); }
  PetscInt operator[](PetscInt point) const {
    PetscInt value = -1;
    if (label_) check(DMLabelGetValue(label_, point, &value));
    return value;
  }
  void clear(PetscInt point) const {
    if (label_) check(DMLabelClearValue(label_, point, (*this)[point]));
  }

private:
  DMLabel label_ = nullptr;
};

constexpr auto cell_groups = "Cell Sets", facet_groups = "Face Sets"; // PETSc's names of the labels

const char* shape_name(CellShape shape) {
  switch (shape) {
  case CellShape::triangle:
    return "triangles";
  case CellShape::quadrilateral:
    return "quadrilaterals";
  case CellShape::tetrahedron:
    return "tetrahedra";
  default:
    return "hexahedra";
  }
}

} // namespace

Unstructured::Unstructured(MPI_Comm comm, const std::string& file, int refinements) : comm_(comm), file_(file) {
  std::string found;
  core::run_on_root(comm, [&] {
    found = text(inspect_gmsh(file));
    // PETSc's own reader once alone: where it fails after all, the other ranks must not wait for it.
    core::DmHandle trial;
    try {
      check(DMPlexCreateGmshFromFile(PETSC_COMM_SELF, file.c_str(), PETSC_TRUE, trial.out()));
    } catch (const core::LibraryError& error) {
      throw core::BadInput(fmt::format("the mesh {} could not be read: {}", file, error.what()));
    }
  });
  kind_ = gmsh_from_text(core::broadcast(comm, found));
  if (refinements > 0 && kind_.order > 1)
    throw core::BadInput("-refine: a mesh of curved cells is refined by Gmsh (gmsh -refine), not here");
  for (const auto& group : kind_.groups) {
    const bool cells = group.dimension == kind_.dimension, facets = group.dimension == kind_.dimension - 1;
    if (cells) regions_.push_back(group.name), region_tags_.push_back(group.tag);
    if (facets) boundaries_.push_back(group.name), boundary_tags_.push_back(group.tag);
  }
  read(refinements);
  distribute();
  note_groups();
}

void Unstructured::read(int refinements) {
  check(DMPlexCreateGmshFromFile(comm_, file_.c_str(), PETSC_TRUE, dm_.out()));
  check_memory_demand(refinements);
  for (int i = 0; i < refinements; ++i) {
    core::DmHandle finer;
    check(DMPlexSetRefinementUniform(dm_, PETSC_TRUE));
    check(DMRefine(dm_, comm_, finer.out()));
    dm_ = std::move(finer);
  }
  note_strata();
  check_boundary();
}

void Unstructured::check_memory_demand(int refinements) const {
  PetscInt first = 0, last = 0;
  check(DMPlexGetHeightStratum(dm_, 0, &first, &last)); // all cells are on the first rank still
  double cells = static_cast<double>(last - first);
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &cells, 1, MPI_DOUBLE, MPI_SUM, comm_));
  constexpr double cells_per_vertex = 6; // of tetrahedra; of other shapes there are fewer
  const double vertices = std::ldexp(cells, kind_.dimension * refinements) / cells_per_vertex;
  core::check_memory_demand(comm_, vertices, 2 * kind_.dimension + 1, fmt::format("-refine {}", refinements));
}

/// Groups may name lines inside the domain: they are no boundaries. And what of the rim is in no group?
void Unstructured::check_boundary() {
  const Tags groups(dm_, facet_groups);
  bool overlaps = false;
  std::vector<PetscInt> on_rim(boundary_tags_.size(), 0); // facets of each group
  PetscInt begin = 0, end = 0;
  check(DMPlexGetHeightStratum(dm_, 1, &begin, &end));
  for (PetscInt facet = begin; facet < end; ++facet) {
    PetscInt cells = 0;
    check(DMPlexGetSupportSize(dm_, facet, &cells));
    const auto group = std::find(boundary_tags_.begin(), boundary_tags_.end(), static_cast<int>(groups[facet]));
    const bool named = group != boundary_tags_.end();
    if (cells == 2 && named) groups.clear(facet);
    if (cells == 1 && named) ++on_rim[group - boundary_tags_.begin()];
    if (cells == 1 && !named) ++bare_facets_;
    if (cells > 2) overlaps = true;
  }
  core::run_and_agree(comm_, [&] {
    if (overlaps) throw core::BadInput(fmt::format("the mesh {} has more than two cells on one facet", file_));
  });
  core::check_mpi(MPI_Bcast(&bare_facets_, 1, MPIU_INT, 0, comm_));
  core::check_mpi(MPI_Bcast(on_rim.data(), static_cast<int>(on_rim.size()), MPIU_INT, 0, comm_));
  for (std::size_t i = on_rim.size(); i-- > 0;) {
    if (on_rim[i] > 0) continue;
    boundaries_.erase(boundaries_.begin() + static_cast<std::ptrdiff_t>(i));
    boundary_tags_.erase(boundary_tags_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// On the first rank all points are still there, as PETSc numbered them.
void Unstructured::note_strata() {
  for (int depth = 0; depth <= dimension(); ++depth) {
    std::array<PetscInt, 2> range{};
    check(DMPlexGetDepthStratum(dm_, depth, &range[0], &range[1]));
    core::check_mpi(MPI_Bcast(range.data(), 2, MPIU_INT, 0, comm_));
    strata_.push_back({range[0], range[1] - range[0]});
  }
}

/// Of this rank's cells, as means of their nodes.
std::vector<std::array<double, 3>> Unstructured::centres() const {
  DM coordinates = nullptr;
  PetscSection section = nullptr;
  Vec positions = nullptr;
  check(DMGetCoordinateDM(dm_, &coordinates));
  check(DMGetCoordinateSection(dm_, &section));
  check(DMGetCoordinatesLocal(dm_, &positions));
  PetscInt first = 0, last = 0;
  check(DMPlexGetHeightStratum(dm_, 0, &first, &last));
  std::vector<std::array<double, 3>> out(static_cast<std::size_t>(last - first));
  for (PetscInt cell = first; cell < last; ++cell) {
    PetscInt count = 0;
    PetscScalar* values = nullptr;
    check(DMPlexVecGetClosure(coordinates, section, positions, cell, &count, &values));
    auto& centre = out[cell - first];
    for (PetscInt i = 0; i < count; ++i)
      centre[i % dimension()] += values[i] * dimension() / static_cast<double>(count);
    check(DMPlexVecRestoreClosure(coordinates, section, positions, cell, &count, &values));
  }
  return out;
}

/// All cells are still on the first rank.
void Unstructured::choose_parts() {
  const int ranks = core::size_of(comm_);
  const auto part_of = bisect(centres(), ranks);
  std::vector<PetscInt> sizes(static_cast<std::size_t>(ranks), 0), cells;
  for (int rank = 0; rank < ranks; ++rank)
    for (std::size_t cell = 0; cell < part_of.size(); ++cell)
      if (part_of[cell] == rank) {
        ++sizes[rank];
        cells.push_back(static_cast<PetscInt>(cell));
      }
  PetscPartitioner partitioner = nullptr;
  check(DMPlexGetPartitioner(dm_, &partitioner));
  check(PetscPartitionerSetType(partitioner, PETSCPARTITIONERSHELL));
  check(PetscPartitionerShellSetPartition(partitioner, ranks, sizes.data(), cells.data()));
}

void Unstructured::distribute() {
  choose_parts();
  core::DmHandle parts;
  SfHandle migration;
  check(DMPlexDistribute(dm_, 0, migration.out(), parts.out()));
  note_points(parts ? migration.get() : nullptr);
  if (parts) dm_ = std::move(parts);
  PetscInt first = 0;
  check(DMPlexGetHeightStratum(dm_, 0, &first, &cells_));
  depth_.resize(original_.size());
  for (int depth = 0; depth <= dimension(); ++depth) {
    PetscInt begin = 0, end = 0;
    check(DMPlexGetDepthStratum(dm_, depth, &begin, &end));
    for (PetscInt point = begin; point < end; ++point) depth_[point] = depth;
  }
}

void Unstructured::note_points(PetscSF migration) {
  PetscInt first = 0, last = 0;
  check(DMPlexGetChart(dm_, &first, &last));
  std::vector<PetscInt> indices(static_cast<std::size_t>(last - first));
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<PetscInt>(i);
  if (!migration) {
    original_ = std::move(indices);
    return;
  }
  PetscInt leaves = 0;
  const PetscInt* positions = nullptr;
  check(PetscSFGetGraph(migration, nullptr, &leaves, &positions, nullptr));
  PetscInt most = leaves;
  for (PetscInt i = 0; positions && i < leaves; ++i) most = std::max(most, positions[i] + 1);
  original_.assign(static_cast<std::size_t>(most), -1);
  check(PetscSFBcastBegin(migration, MPIU_INT, indices.data(), original_.data(), MPI_REPLACE));
  check(PetscSFBcastEnd(migration, MPIU_INT, indices.data(), original_.data(), MPI_REPLACE));
}

void Unstructured::note_groups() {
  const auto number = [](const std::vector<int>& tags, PetscInt tag) {
    const auto at = std::find(tags.begin(), tags.end(), static_cast<int>(tag));
    return at == tags.end() ? -1 : static_cast<int>(at - tags.begin());
  };
  const Tags of_cells(dm_, cell_groups), of_facets(dm_, facet_groups);
  region_of_.resize(static_cast<std::size_t>(cells_));
  for (PetscInt cell = 0; cell < cells_; ++cell) {
    region_of_[cell] = number(region_tags_, of_cells[cell]);
    const PetscInt* cone = nullptr;
    PetscInt faces = 0;
    check(DMPlexGetCone(dm_, cell, &cone));
    check(DMPlexGetConeSize(dm_, cell, &faces));
    for (PetscInt face = 0; face < faces; ++face) {
      const int boundary = number(boundary_tags_, of_facets[cone[face]]);
      if (boundary >= 0) facets_.push_back({cell, cone[face], static_cast<int>(face), boundary});
    }
  }
}

int Unstructured::boundary(const std::string& name, const std::string& option) const {
  return find_name(boundaries_, name, fmt::format("-{}: boundary", option), *this);
}

int Unstructured::region(const std::string& name, const std::string& option) const {
  return find_name(regions_, name, fmt::format("-{}: region", option), *this);
}

std::string Unstructured::describe() const {
  return fmt::format("mesh of {} {}, {} vertices ({:016x})", stratum(dimension()).count, shape_name(shape()),
                     stratum(0).count, kind_.digest);
}

core::About about_mesh() {
  return {"Gmsh file (.msh) of the domain; its physical groups name boundaries"};
}

Unstructured read_mesh(MPI_Comm comm, const core::Options& options) {
  const auto file = options.string("mesh", "", about_mesh());
  const auto times = options.integer("refine", 0, {"how often every cell of the mesh is split, before the run"},
                                     core::Range::between(0, 8));
  return {comm, file, static_cast<int>(times)};
}

} // namespace rhumb::grid
