#pragma once
/// A box of grid points, distributed by a DMDA: points at x_i = lower + i h in one, two or three directions, cells
/// between them. A periodic direction with n cells has n points, any other n + 1.
///
/// A rank holds its own points and, beside them and not mixed with them, a halo: the neighbours across each of its
/// faces. Own points are read where the global vector keeps them, so a sweep copies nothing but the halo.

#include <rhumb/core/handle.hpp>
#include <rhumb/core/options.hpp>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rhumb::grid {

/// The sides of a box; the number is 2 * direction, plus one on the upper side.
enum class Side : std::uint8_t { left, right, bottom, top, back, front };

inline constexpr std::array<const char*, 6> side_names{"left", "right", "bottom", "top", "back", "front"};

constexpr unsigned bit(Side side) {
  return 1U << static_cast<unsigned>(side);
}

/// A box before it is distributed.
struct BoxShape {
  std::vector<PetscInt> cells;          ///< per direction: one, two or three entries
  std::array<double, 3> lower{0, 0, 0}; ///< corner
  std::array<double, 3> upper{1, 1, 1}; ///< opposite corner
  std::array<bool, 3> periodic{};

  int dimension() const { return static_cast<int>(cells.size()); }
  PetscInt nodes(int direction) const;
  double spacing(int direction) const;
  /// Throws core::BadInput where a grid with so many fields at a point, coupled to so many entries in a row, does not
  /// fit.
  void check_memory_demand(MPI_Comm comm, int fields, int entries) const;
  /// DMSetUp; throws core::BadInput where there are more ranks than the box can be cut for.
  void set_up(DM dm) const;
  /// "box 64 x 64, [0, 1] x [0, 1]"
  std::string describe() const;
};

/// Reads -n, -lower and -upper; `standard` holds the defaults and which directions are periodic.
BoxShape read_box(const core::Options& options, const BoxShape& defaults);

/// Place of a neighbour: a number among the own points or among the halo's.
struct NeighbourRow {
  PetscInt index = 0;
  bool in_halo = false;
};

/// Points with consecutive numbers in x whose neighbours in each direction have consecutive numbers too, so that one
/// plain loop runs over them. On a physical boundary the missing neighbour is the opposite one (a mirror).
template <int D>
struct Segment {
  PetscInt first = 0; ///< number of the first point among the own ones
  PetscInt length = 0;
  std::array<NeighbourRow, D> minus, plus; ///< neighbours of the first point
  unsigned sides = 0;                      ///< bits of the physical sides on which all its points lie
  std::array<double, 3> corner{};          ///< coordinates of the first point
};

/// Which segments of a rank's part: those that need the halo, those that do not.
enum class Part : std::uint8_t { inner, outer };

class Box {
public:
  Box(MPI_Comm comm, BoxShape shape, int fields);

  const BoxShape& shape() const { return shape_; }
  DM dm() const { return dm_; }
  double spacing(std::size_t direction) const { return spacing_[direction]; }
  double inverse_spacing(std::size_t direction) const { return inverse_spacing_[direction]; }
  MPI_Comm comm() const { return comm_; }
  int fields() const { return fields_; }

  PetscInt owned_nodes() const { return count_[0] * count_[1] * count_[2]; }
  PetscInt first_node() const { return first_node_; } ///< PETSc's number of the first own point
  const std::array<PetscInt, 3>& first() const { return first_; }
  const std::array<PetscInt, 3>& count() const { return count_; }

  /// PETSc's numbers of the halo's points, and their places in the grid.
  std::span<const PetscInt> halo_nodes() const { return halo_nodes_; }
  const std::array<PetscInt, 3>& halo_point(std::size_t i) const { return halo_points_[i]; }
  bool has_halo() const { return any_halo_; } ///< on any rank

  /// Grid coordinates of an own point.
  std::array<PetscInt, 3> point(PetscInt owned) const;
  std::array<double, 3> position(const std::array<PetscInt, 3>& point) const;
  /// Where an own point is: "x = 0.25, y = 0.5".
  std::string position_text(PetscInt owned) const;
  /// Bits of the physical sides that the point lies on.
  unsigned sides(const std::array<PetscInt, 3>& point) const;
  /// Weight of the point's control volume: 1, halved for each physical side it lies on.
  double volume_share(const std::array<PetscInt, 3>& point) const;
  /// Area of the cross-section or length or volume of a whole cell: the product of the spacings.
  double cell_volume() const;

  /// Calls body(Segment<D>) for every segment of the part.
  template <int D, class Body>
  void for_each_segment(Part part, Body&& body) const;
  template <int D, class Body>
  void for_each_segment(Body&& body) const;

private:
  void find_halo();
  template <int D>
  PetscInt rows_per_block() const;
  template <int D>
  Segment<D> row(PetscInt j, PetscInt k) const;
  template <int D>
  void move_in_row(Segment<D>& segment, PetscInt i, PetscInt length, PetscInt row_index) const;
  template <int D>
  void set_neighbours(Segment<D>& segment, int direction, PetscInt at, PetscInt stride, PetscInt face_index) const;

  BoxShape shape_;
  int fields_;
  MPI_Comm comm_;
  core::DmHandle dm_;
  std::array<PetscInt, 3> first_{}, count_{1, 1, 1}, total_{1, 1, 1};
  std::array<double, 3> spacing_{1, 1, 1}, inverse_spacing_{1, 1, 1};
  PetscInt first_node_ = 0;
  std::array<PetscInt, 6> face_{-1, -1, -1, -1, -1, -1}; ///< where each face starts in the halo; -1: physical boundary
  std::vector<PetscInt> halo_nodes_;
  std::vector<std::array<PetscInt, 3>> halo_points_;
  bool any_halo_ = false;
};

/// The halo's values of one vector. `begin` may be followed by work on the inner segments before `end`.
class Halo {
public:
  explicit Halo(const Box& box);
  void begin(Vec vector);
  void end(Vec vector);
  void update(Vec vector) {
    begin(vector);
    end(vector);
  }
  const double* data() const { return values_.data(); }

private:
  bool active_;
  std::vector<double> values_;
  core::VecHandle local_;
  core::ScatterHandle scatter_;
};

} // namespace rhumb::grid

#include <rhumb/grid/segments.hpp>
