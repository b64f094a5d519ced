#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/moving_box/simplices.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <petscdmplex.h>
#include <petscsf.h>

/// Triangles from a Gmsh file. The mesh's Laplacian is that of linear elements in the reference, by the cotangents of
/// the angles opposite to an edge: zero for x = X, and with weights that are not negative where the mesh is Delaunay's.

namespace rhumb::moving_box {

using core::check;

namespace {
constexpr std::size_t most_sides = 32;       ///< a point has a bit for each
constexpr double straight_angle = 1e-6;      ///< sides that turn by less are one side
constexpr double triangles_of_a_point = 6.0; ///< inside a grid of halved squares, where its volume is h^2
} // namespace

using SfHandle = core::Handle<PetscSF, PetscSFDestroy>;

/// The mesh with all cells around this rank's own points: its part and a layer of its neighbours' cells.
struct Simplices::MeshPart {
  const grid::Unstructured& mesh;
  core::DmHandle dm;
  PetscInt first_vertex = 0, end_vertex = 0, cells = 0, points = 0;
  std::vector<bool> is_own;       ///< by points of the DMPlex
  std::vector<PetscInt> original; ///< number before the mesh was cut
  std::vector<PetscInt> name;     ///< of the facet's group, -1: none

  struct RimEdge {
    PetscInt node, name;
  };
  std::vector<std::vector<RimEdge>> rim;           ///< by local nodes: neighbours along the boundary
  std::vector<std::map<PetscInt, double>> weights; ///< by local nodes: half the cotangents to neighbours
  std::vector<double> volumes;                     ///< a third of the triangles around

  explicit MeshPart(const grid::Unstructured& m) : mesh(m) {
    for (PetscInt point = 0; point < m.points(); ++point) original.push_back(m.original(point));
    name.assign(original.size(), -1);
    for (const auto& facet : m.facets()) name[facet.point] = facet.boundary;
    add_overlap();
    PetscInt first = 0, leaves = 0;
    const PetscInt* places = nullptr;
    PetscSF shared = nullptr;
    check(DMPlexGetDepthStratum(dm, 0, &first_vertex, &end_vertex));
    check(DMPlexGetHeightStratum(dm, 0, &first, &cells));
    check(DMPlexGetChart(dm, &first, &points));
    is_own.assign(static_cast<std::size_t>(points), true);
    check(DMGetPointSF(dm, &shared));
    check(PetscSFGetGraph(shared, nullptr, &leaves, &places, nullptr));
    for (PetscInt i = 0; i < leaves; ++i) is_own[places ? places[i] : i] = false;
    rim.resize(static_cast<std::size_t>(end_vertex - first_vertex));
    weights.resize(rim.size());
    volumes.resize(rim.size(), 0.0);
  }
  void add_overlap() {
    SfHandle migration;
    check(DMPlexDistributeOverlap(mesh.dm(), 1, migration.out(), dm.out()));
    if (!dm) { // on one rank
      check(PetscObjectReference(reinterpret_cast<PetscObject>(mesh.dm())));
      dm = core::DmHandle(mesh.dm());
      return;
    }
    PetscInt first = 0, end = 0;
    check(DMPlexGetChart(dm, &first, &end));
    for (auto* values : {&original, &name}) {
      std::vector<PetscInt> here(static_cast<std::size_t>(end), -1);
      check(PetscSFBcastBegin(migration, MPIU_INT, values->data(), here.data(), MPI_REPLACE));
      check(PetscSFBcastEnd(migration, MPIU_INT, values->data(), here.data(), MPI_REPLACE));
      *values = std::move(here);
    }
  }
  PetscInt node(PetscInt point) const { return point - first_vertex; }
  /// The vertices of a point, as nodes.
  std::vector<PetscInt> nodes_of(PetscInt point) const {
    std::vector<PetscInt> found;
    PetscInt size = 0;
    PetscInt* closure = nullptr; // points and their orientations in turn
    check(DMPlexGetTransitiveClosure(dm, point, PETSC_TRUE, &size, &closure));
    for (PetscInt i = 0; i < size; ++i)
      if (closure[2 * i] >= first_vertex && closure[2 * i] < end_vertex) found.push_back(node(closure[2 * i]));
    check(DMPlexRestoreTransitiveClosure(dm, point, PETSC_TRUE, &size, &closure));
    return found;
  }
};

Simplices::Simplices(const grid::Unstructured& mesh, int unknowns)
    : comm_(mesh.comm()), dimension_(mesh.dimension()), unknowns_(unknowns), description_(mesh.describe()),
      side_names_(mesh.boundaries()) {
  if (mesh.shape() != grid::CellShape::triangle || mesh.order() != 1)
    throw core::BadInput(fmt::format("-mesh: points move on meshes of straight triangles; {} is {}{}", mesh.file(),
                                     mesh.order() > 1 ? "curved, a " : "a ", mesh.describe()));
  if (side_names_.size() > most_sides)
    throw core::BadInput(fmt::format("-mesh: {} names {} boundaries, at most {} can be told apart", mesh.file(),
                                     side_names_.size(), most_sides));
  MeshPart part(mesh);
  total_nodes_ = static_cast<std::uint64_t>(mesh.stratum(0).count);
  total_ = static_cast<std::uint64_t>(mesh.stratum(dimension_).count);
  add_mesh_nodes(part);
  add_mesh_cells(part);
  add_mesh_facets(part);
  link_mesh(part);
  find_faces();
  create_exchange();
}

void Simplices::add_mesh_nodes(MeshPart& part) {
  Vec coordinates = nullptr;
  PetscSection section = nullptr;
  check(DMGetCoordinatesLocal(part.dm, &coordinates));
  check(DMGetCoordinateSection(part.dm, &section));
  const PetscScalar* x = nullptr;
  check(VecGetArrayRead(coordinates, &x));
  std::array<double, 4> bounds; // -lower, upper
  bounds.fill(-std::numeric_limits<double>::infinity());
  for (PetscInt point = part.first_vertex; point < part.end_vertex; ++point) {
    PetscInt offset = 0;
    check(PetscSectionGetOffset(section, point, &offset));
    for (std::size_t d = 0; d < 2; ++d) {
      const double at = x[offset + static_cast<PetscInt>(d)];
      reference_.push_back(at);
      bounds[d] = std::max(bounds[d], -at);
      bounds[2 + d] = std::max(bounds[2 + d], at);
    }
    natural_.push_back(part.original[point] - part.mesh.stratum(0).first);
    sides_.push_back(0);
    is_own_.push_back(part.is_own[point]);
    if (is_own_.back()) own_.push_back(part.node(point));
  }
  check(VecRestoreArrayRead(coordinates, &x));
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, bounds.data(), 4, MPI_DOUBLE, MPI_MAX, comm_));
  lower_ = {-bounds[0], -bounds[1], 0.0};
  upper_ = {bounds[2], bounds[3], 0.0};

  PetscInt first = 0;
  const PetscInt here = owned_nodes();
  core::check_mpi(MPI_Exscan(&here, &first, 1, MPIU_INT, MPI_SUM, comm_));
  std::vector<PetscInt> numbers(static_cast<std::size_t>(part.points), -1);
  for (PetscInt i = 0; i < here; ++i) numbers[own_[i] + part.first_vertex] = first + i;
  PetscSF shared = nullptr;
  PetscInt roots = 0;
  check(DMGetPointSF(part.dm, &shared));
  check(PetscSFGetGraph(shared, &roots, nullptr, nullptr, nullptr));
  if (roots >= 0) { // on one rank there is nothing to share
    check(PetscSFBcastBegin(shared, MPIU_INT, numbers.data(), numbers.data(), MPI_REPLACE));
    check(PetscSFBcastEnd(shared, MPIU_INT, numbers.data(), numbers.data(), MPI_REPLACE));
  }
  global_.assign(numbers.begin() + part.first_vertex, numbers.begin() + part.end_vertex);
}

void Simplices::add_mesh_cells(MeshPart& part) {
  touching_.assign(sides_.size(), 0);
  const auto edge = [&](PetscInt a, PetscInt b, int d) { return reference(b, d) - reference(a, d); };
  for (PetscInt cell = 0; cell < part.cells; ++cell) {
    auto n = part.nodes_of(cell);
    const auto area = [&] {
      return 0.5 * (edge(n[0], n[1], 0) * edge(n[0], n[2], 1) - edge(n[0], n[1], 1) * edge(n[0], n[2], 0));
    };
    if (area() < 0.0) std::swap(n[1], n[2]);
    const double size = area();
    corners_.insert(corners_.end(), n.begin(), n.end());
    counted_.push_back(part.is_own[cell]);
    index_.push_back(static_cast<std::uint64_t>(part.original[cell] - part.mesh.stratum(dimension_).first));
    if (counted_.back()) volume_ += size;
    for (std::size_t a = 0; a < 3; ++a) {
      const PetscInt apex = n[a], b = n[(a + 1) % 3], c = n[(a + 2) % 3];
      const double dot = edge(apex, b, 0) * edge(apex, c, 0) + edge(apex, b, 1) * edge(apex, c, 1);
      const double weight = 0.5 * dot / (2.0 * size); // half the cotangent of the angle at the apex
      part.weights[b][c] += weight;
      part.weights[c][b] += weight;
      part.volumes[apex] += size / 3.0;
      ++touching_[apex];
    }
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &volume_, 1, MPI_DOUBLE, MPI_SUM, comm_));
  cell_volume_ = 2.0 * volume_ / static_cast<double>(total_);
}

/// All cells around an own point are here, so what is the rim at an own point is seen here.
void Simplices::add_mesh_facets(MeshPart& part) {
  for (PetscInt cell = 0; cell < part.cells; ++cell) {
    const PetscInt* cone = nullptr;
    check(DMPlexGetCone(part.dm, cell, &cone));
    for (int face = 0; face < 3; ++face) {
      PetscInt cells = 0;
      check(DMPlexGetSupportSize(part.dm, cone[face], &cells));
      if (cells != 1) continue;
      const auto ends = part.nodes_of(cone[face]);
      const PetscInt name = part.name[cone[face]];
      part.rim[ends[0]].push_back({ends[1], name});
      part.rim[ends[1]].push_back({ends[0], name});
      if (name < 0) continue;
      for (const PetscInt end : ends) sides_[end] |= 1U << static_cast<unsigned>(name);
      for (int a = 0; a < 3; ++a)
        if (const PetscInt corner = corners(cell)[a]; corner != ends[0] && corner != ends[1])
          facets_.push_back({cell, a, static_cast<std::size_t>(name)});
    }
  }
}

/// Points inside move by all their neighbours, points on a straight side by the two along it; where sides meet at an
/// angle, or two groups do, the point stays.
void Simplices::link_mesh(MeshPart& part) {
  slant_.assign(own_.size() * 2, 0.0);
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const PetscInt node = own_[i];
    const double volume = part.volumes[node];
    const double cell = triangles_of_a_point / touching_[node] * volume;
    std::vector<Link> pulls, smoothed;
    for (const auto& [other, weight] : part.weights[node]) {
      smoothed.push_back({other, weight * cell / volume});
      pulls.push_back({other, weight / volume});
    }
    bound_.push_back(0);
    if (!part.rim[node].empty()) pulls = bind(part, i);
    pulls_.add(pulls);
    smoothed_.add(smoothed);
  }
}

/// What a point on the boundary is bound to, and its neighbours along its side.
std::vector<Simplices::Link> Simplices::bind(const MeshPart& part, std::size_t i) {
  const PetscInt node = own_[i];
  const auto& rim = part.rim[node];
  bound_[i] = 3U;
  if (rim.size() != 2 || rim[0].name != rim[1].name) return {};
  std::array<std::array<double, 2>, 2> to{};
  for (std::size_t k = 0; k < 2; ++k)
    for (int d = 0; d < 2; ++d) to[k][d] = reference(rim[k].node, d) - reference(node, d);
  const double before = std::hypot(to[0][0], to[0][1]), after = std::hypot(to[1][0], to[1][1]);
  const double turn = std::abs(to[0][0] * to[1][1] - to[0][1] * to[1][0]) / (before * after);
  if (turn > straight_angle || to[0][0] * to[1][0] + to[0][1] * to[1][1] > 0.0) return {};
  const std::array<double, 2> normal{-to[0][1], to[0][0]};
  const std::size_t p = std::abs(normal[0]) > std::abs(normal[1]) ? 0 : 1;
  bound_[i] = 1U << p;
  slant_[2 * i + 1 - p] = normal[1 - p] / normal[p];
  const double mean = 0.5 * (before + after);
  return {{rim[0].node, 1.0 / (before * mean)}, {rim[1].node, 1.0 / (after * mean)}};
}

} // namespace rhumb::moving_box
