/// The matrix of a MeshSystem and its preconditioner.

#include <rhumb/core/agreement.hpp>
#include <rhumb/pde/text/mesh_system.hpp>
#include <rhumb/pde/text/overlapping_blocks.hpp>
#include <algorithm>

namespace rhumb::text {

using core::check;

namespace {
/// Systems up to this size are factored: further, multigrid or incomplete factors cost less.
constexpr PetscInt largest_factored = 5000;
/// With constraints of index 2 there is no diagonal that either could use.
constexpr PetscInt largest_factored_index2 = 500000;
} // namespace

void MeshSystem::assemble_matrix(double t, double alpha, Mat jacobian) {
  const Uniforms now = uniforms_with_reductions(t, alpha);
  const int components = space().components();
  const auto width = static_cast<std::size_t>(components * 4);
  std::vector<int> entry_of(width * width);
  for (auto& group : groups_) {
    const auto& all = group.equations;
    std::ranges::fill(entry_of, -1);
    for (std::size_t k = 0; k < all.entries.size(); ++k) {
      const WeakTerm& term = all.terms[all.entries[k].term];
      const std::size_t row = term.component * 4 + static_cast<std::size_t>(term.a);
      entry_of[row * width + all.entries[k].field * 4 + static_cast<std::size_t>(all.entries[k].b)] =
          static_cast<int>(k);
    }
    group.equations.jacobian.begin(now);
    for_each_stretch(*group.patches, group.which, [&](std::size_t first, std::size_t last) {
      batch_.clear();
      for (std::size_t i = first; i < last; ++i)
        batch_.add((*group.patches)[group.which[i]], {values(), rates(), nullptr});
      const double* results = batch_.run(group.equations.jacobian);
      for (std::size_t i = first; i < last; ++i) {
        const fem::Patch patch = (*group.patches)[group.which[i]];
        matrix_.assign(static_cast<std::size_t>(space().per_cell() * space().per_cell()), 0.0);
        for (PetscInt q = 0; q < patch.basis->points(); ++q, results += all.entries.size()) {
          const auto derivative = [&](int c, int a, int e, int b) {
            const int k = entry_of[static_cast<std::size_t>(c * 4 + a) * width + static_cast<std::size_t>(e * 4 + b)];
            return k < 0 ? 0.0 : results[k];
          };
          if (grid_mesh().dimension() == 2)
            fem::add_point<2>(space(), patch, q, components, derivative, tested_, matrix_);
          else
            fem::add_point<3>(space(), patch, q, components, derivative, tested_, matrix_);
        }
        add_element(patch, matrix_, jacobian);
      }
    });
  }
}

/// Factors where they are cheap and, having nothing better, for index 2; multigrid where all fields are differential;
/// with algebraic fields, for which point smoothers fail, overlapping blocks with one level of fill, as on boxes.
void MeshSystem::configure(PC preconditioner, Mat matrix) const {
  PetscInt size = 0;
  check(MatGetSize(matrix, &size, nullptr));
  const auto has = [&](dae::Kind kind) {
    return std::ranges::find(case_.model.fields, kind, &FieldInfo::kind) != case_.model.fields.end();
  };
  const bool index2 = has(dae::Kind::index2);
  const bool factored = size <= (index2 ? largest_factored_index2 : largest_factored);
  if (factored && in_equations_.empty()) {
    check(PCSetType(preconditioner, PCLU));
    check(PCFactorSetMatSolverType(preconditioner,
                                   core::size_of(grid_mesh().comm()) > 1 ? MATSOLVERMUMPS : MATSOLVERUMFPACK));
  } else if (factored || index2 || has(dae::Kind::index1)) {
    use_overlapping_blocks(preconditioner, factored ? "lu" : "ilu");
  } else {
    WeakForm::configure(preconditioner, matrix);
  }
}

} // namespace rhumb::text
