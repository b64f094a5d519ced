#pragma once
/// The preconditioner that a program has set on its TS's SNES, used by the integrator. Choices that PETSc makes by
/// itself (block Jacobi, ILU) are left to the integrator, which reads -pc_* under the same prefix; so is LU. Anything
/// else (a shell, multigrid, field splits) is the program's own object and is called as it stands.

#include <petscts.h>
#include <string>

namespace rhumb::ts {

class UserPreconditioner {
public:
  /// Makes `outer` use the program's PC; false when the program has none of its own.
  bool adopt(TS ts, PC outer, Mat action, Mat matrix);

  /// The type of the program's PC; empty when the integrator made its own.
  const std::string& type() const { return type_; }

private:
  static PetscErrorCode set_up(PC outer);
  static PetscErrorCode apply(PC outer, Vec in, Vec out);

  PC user_ = nullptr; ///< owned by the TS
  std::string type_;
  Mat action_ = nullptr;
  Mat matrix_ = nullptr;
};

} // namespace rhumb::ts
