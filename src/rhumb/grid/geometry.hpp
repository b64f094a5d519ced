#pragma once
/// What a spatial module tells the files about its grid: where the points are and which numbers belong to which field.
/// A dae::Problem that also is a Geometry gets snapshots with a real mesh, and checkpoints that another number of ranks
/// can read. Output never depends on how the grid is cut into ranks: every block says where it belongs in the whole.

#include <cstddef>
#include <cstdint>
#include <petscvec.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::grid {

/// "x = 0.25, y = 0.5"
std::string position_text(std::span<const double> position);

/// Sizes of an array in C order, slowest direction first: [nz, ny, nx] or [nz, ny, nx, component]; for lists of points
/// or cells [n] or [n, component].
using Dims = std::vector<std::uint64_t>;

/// This rank's part of a global array. Either a box of it (`offset`, `count`; a rank without entries has a zero in
/// `count`), or scattered rows: `rows[i]` is the place in the first direction of the i-th local row, and `offset`,
/// `count` stay empty. Every entry of the whole belongs to exactly one rank.
template <class Number>
struct Block {
  Dims global;
  Dims offset = {};
  Dims count = {};
  std::vector<std::uint64_t> rows = {};
  std::vector<Number> values = {}; ///< C order
};

/// Where the values of a field sit. On a box with nx cells in x, `face_x` has nx + 1 values in that direction and as
/// many as there are cells in the others; output also holds its mean of the two faces in each cell, as `<name>_cell`.
enum class Location : std::uint8_t {
  none,  ///< a number or a list without place (systems without space, boundary values)
  point, ///< grid points
  cell,  ///< cells
  face_x,
  face_y,
  face_z,
};

struct FieldBlock {
  std::string name;
  std::string unit = "";
  std::string long_name = "";
  Location location = Location::none;
  std::uint64_t components = 1; ///< above 1: the last direction of `data` counts the components
  Block<double> data;
};

/// One direction of a box. All ranks give all coordinates.
struct Axis {
  std::string name;           ///< "x", "r"
  std::string unit = "";      ///< "m"
  std::vector<double> points; ///< ascending: cells + 1 of them
};

/// Cells of one shape; `nodes` is [cells, nodes per cell], numbers of points in the order that VTK uses.
enum class CellShape : std::uint8_t { segment, triangle, quadrilateral, tetrahedron, pyramid, wedge, hexahedron };

struct CellBlock {
  CellShape shape;
  Block<std::int64_t> nodes;
};

struct Mesh {
  enum class Kind : std::uint8_t {
    none,         ///< no space
    box,          ///< `axes`: 1, 2 or 3 directions, x first
    moving,       ///< `points` of a line, ascending, part of the solution; their number may change between outputs
    unstructured, ///< `points` and `cells`; cell fields count the cells in the order of `cells`
  };
  Kind kind = Kind::none;
  std::vector<Axis> axes = {};
  std::string point_unit = ""; ///< of `points`
  Block<double> points = {};   ///< [n, directions]
  std::vector<CellBlock> cells = {};
};

class Geometry {
public:
  Geometry() = default;
  virtual ~Geometry() = default;
  Geometry(const Geometry&) = delete;
  Geometry& operator=(const Geometry&) = delete;

  /// One line that two runs share exactly when a checkpoint of one fits the other: "box 64 x 64, [0, 1] x [0, 1]".
  virtual std::string signature() const = 0;

  /// The mesh at time t. Called on all ranks.
  virtual Mesh mesh(double t, Vec y) = 0;

  /// The fields at time t, in the same order on all ranks. `ydot` may be null.
  virtual std::vector<FieldBlock> fields(double t, Vec y, Vec ydot) = 0;

  /// For each local entry of y its number in an order that does not depend on the number of ranks, such as the natural
  /// order of a DMDA. Empty on all ranks: PETSc's own global numbering is such an order.
  virtual std::vector<PetscInt> natural_indices() const { return {}; }
};

/// The word that files use: "none", "point", "cell", "face_x", ...
std::string name(Location location);

/// A list that each rank holds a contiguous piece of, in rank order: `first` is the number of the piece's first row.
Block<double> piece(std::uint64_t global, std::uint64_t first, std::vector<double> values);

} // namespace rhumb::grid
