#pragma once
/// The nodes of a plane grid at which a stream function is unknown. A velocity without divergence is the curl of psi,
///   u = d psi/dy,  v = -d psi/dx,
/// by differences of psi at the ends of each face. Where the flow through a face is given (sides but outflows, faces of
/// obstacles), corrections to it are zero: both ends of the face have the same psi and share one unknown. One such
/// group is held at zero, since psi has a free constant.

#include <rhumb/physics/flow/equations.hpp>

namespace rhumb::flow {

class StreamNodes {
public:
  /// Whether curls are all velocities without divergence: in the plane, unless a flow through a periodic box has no
  /// side that gives it.
  static bool fits(const Equations& equations);

  /// Every rank numbers all nodes, so that no exchange is needed. `more` unknowns of other kinds follow the nodes of
  /// each rank.
  StreamNodes(const Equations& equations, PetscInt more);

  /// Number of the unknown at the lower left corner of cell (i, j); -1 where psi is held at zero.
  PetscInt index(PetscInt i, PetscInt j) const;
  /// Unknowns of this rank, those of other kinds included, and the number of the first of these.
  PetscInt owned_count() const { return owned_count_; }
  PetscInt first_of_more() const { return first_of_more_; }

private:
  PetscInt node(PetscInt i, PetscInt j) const { return (j % size_[1]) * size_[0] + i % size_[0]; }
  std::vector<PetscInt> group_nodes(const Equations& equations) const;
  std::vector<int> owners(const Staggered& grid) const;

  std::array<PetscInt, 2> size_{}; ///< nodes per direction
  std::vector<PetscInt> number_;   ///< by node
  PetscInt owned_count_ = 0, first_of_more_ = 0;
};

} // namespace rhumb::flow
