#pragma once
/// A staggered (MAC) grid on a DMStag: each velocity component at the middle of the faces that it is normal to,
/// pressure and scalar at the cells. Two or three directions, uniform or stretched, two layers of ghosts around the
/// box, so that a stencil is the same everywhere.
///
/// Names: a *place* is a position in the local (ghosted) array, `base(i, j, k) + slot`; an *own number* is a position
/// in the rank's part of the global vector.

#include <rhumb/core/handle.hpp>
#include <rhumb/grid/box.hpp>
#include <array>
#include <span>
#include <vector>

namespace rhumb::flow {

using Index = std::array<PetscInt, 3>;
using Position = std::array<double, 3>;

/// The cells of one direction, and as many beyond each end as stencils reach: mirrored there, or the other end's where
/// the direction is periodic. Face i is the lower end of cell i.
class StaggeredLine {
public:
  /// `stretch` s > 0 draws faces to both ends: x = (1 + tanh(s(2 xi - 1)) / tanh(s)) / 2; 0 is uniform.
  StaggeredLine(PetscInt cells, double lower, double upper, double stretch, bool periodic);
  /// A line with the faces given, cells + 1 of them.
  StaggeredLine(std::vector<double> faces, bool periodic);
  PetscInt cells() const { return cells_; }
  bool periodic() const { return periodic_; }
  double face(PetscInt i) const { return face_[at(i)]; }
  double centre(PetscInt i) const { return 0.5 * (face_[at(i)] + face_[at(i + 1)]); }
  double width(PetscInt i) const { return width_[at(i)]; }
  /// From centre i-1 to centre i: the width of the control volume around face i.
  double gap(PetscInt i) const { return gap_[at(i)]; }
  double inverse_width(PetscInt i) const { return inverse_width_[at(i)]; }
  double inverse_gap(PetscInt i) const { return inverse_gap_[at(i)]; }
  /// Share of cell i - 1 in the control volume around face i.
  double lower_share(PetscInt i) const { return lower_share_[at(i)]; }

private:
  static constexpr PetscInt pad = 4;
  std::size_t at(PetscInt i) const { return static_cast<std::size_t>(i + pad); }
  void set_metric();
  PetscInt cells_;
  bool periodic_;
  std::vector<double> face_, width_, gap_, inverse_width_, inverse_gap_, lower_share_;
};

class Staggered {
public:
  enum class Scalar : std::uint8_t { absent, present };

  Staggered(MPI_Comm comm, const grid::BoxShape& shape, const std::array<double, 3>& stretch, Scalar scalar);
  /// Cells per rank of the grid of ranks, in each direction of the flow.
  using Cut = std::vector<std::vector<PetscInt>>;
  /// A grid of three such lines, cut as told: a coarser one of the same box.
  Staggered(MPI_Comm comm, std::vector<StaggeredLine> lines, const Cut& cut, Scalar scalar);

  MPI_Comm comm() const { return comm_; }
  DM dm() const { return dm_; }
  int dimension() const { return dimension_; }
  const StaggeredLine& line(int direction) const { return lines_[direction]; }
  bool has_scalar() const { return scalar_slot_ >= 0; }

  /// Where in an element: the component normal to lower face `direction`, the pressure, the scalar.
  PetscInt velocity_slot(int direction) const { return velocity_slot_[direction]; }
  PetscInt pressure_slot() const { return pressure_slot_; }
  PetscInt scalar_slot() const { return scalar_slot_; }
  /// Number of the field that lives in the slot: the components, then the pressure, then the scalar.
  int field_of_slot(PetscInt slot) const;
  PetscInt slot_of_field(int field) const;
  int field_count() const { return dimension_ + 1 + (has_scalar() ? 1 : 0); }

  PetscInt base(PetscInt i, PetscInt j, PetscInt k) const {
    return (((k - ghost_first_[2]) * ghost_count_[1] + j - ghost_first_[1]) * ghost_count_[0] + i - ghost_first_[0]) *
           entries_;
  }
  PetscInt base(const Index& cell) const { return base(cell[0], cell[1], cell[2]); }
  /// Distance of neighbours in the local array.
  PetscInt stride(int direction) const { return stride_[direction]; }
  PetscInt places() const { return static_cast<PetscInt>(global_.size()); }
  /// PETSc's number of the unknown at a place; negative outside the box.
  PetscInt global(PetscInt offset) const { return global_[offset]; }
  /// Number of an own unknown within this rank.
  PetscInt owned(PetscInt offset) const { return global_[offset] - first_unknown_; }
  PetscInt owned_count() const { return owned_count_; }
  PetscInt first_unknown() const { return first_unknown_; }

  const Index& first() const { return first_; }             ///< own cells begin here ...
  Index end() const;                                        ///< ... and end before this
  Index end_of_faces(int direction) const;                  ///< own faces, with the last one of the box
  const Index& ghost_first() const { return ghost_first_; } ///< of the local array
  Index ghost_end() const;

  /// Where the unknown of that field at that cell sits.
  Position position(int field, const Index& cell) const;
  /// Volume of the cell, or of the control volume around its lower face.
  double volume(int field, const Index& cell) const;

  core::VecHandle create_vector() const;
  core::VecHandle create_local() const;
  /// y into the local array, with what other ranks own; places outside the box are left alone.
  void scatter(Vec y, Vec local) const;

  /// Calls body(place of the element, cell) for the elements of [from, to).
  template <class Body>
  static void visit(const Index& from, const Index& to, Body&& body) {
    for (PetscInt k = from[2]; k < to[2]; ++k)
      for (PetscInt j = from[1]; j < to[1]; ++j)
        for (PetscInt i = from[0]; i < to[0]; ++i) body(Index{i, j, k});
  }
  template <class Body>
  void for_each_cell(Body&& body) const {
    visit(first_, end(), [&](const Index& cell) { body(base(cell), cell); });
  }
  template <class Body>
  void for_each_face(int direction, Body&& body) const {
    visit(first_, end_of_faces(direction), [&](const Index& cell) { body(base(cell), cell); });
  }
  /// Calls body(own number, cell) for this rank's unknowns of the field.
  template <class Body>
  void for_each_unknown(int field, Body&& body) const {
    const PetscInt slot = slot_of_field(field);
    visit(first_, field < dimension_ ? end_of_faces(field) : end(),
          [&](const Index& cell) { body(owned(base(cell) + slot), cell); });
  }

private:
  void create_dm(const grid::BoxShape& shape, Scalar scalar);
  void create_dm(const Cut& cut, Scalar scalar);
  void read_corners();
  void check_narrowest() const;
  void find_slots(Scalar scalar);
  void assign_local_offsets();

  MPI_Comm comm_;
  int dimension_;
  std::vector<StaggeredLine> lines_;
  core::DmHandle dm_;
  PetscInt entries_ = 0;
  std::array<PetscInt, 3> velocity_slot_{-1, -1, -1};
  PetscInt pressure_slot_ = -1, scalar_slot_ = -1;
  Index first_{}, count_{1, 1, 1}, extra_{}, ghost_first_{}, ghost_count_{1, 1, 1}, stride_{};
  std::vector<PetscInt> global_;
  PetscInt first_unknown_ = 0, owned_count_ = 0;
};

} // namespace rhumb::flow
