#pragma once
/// Between the unknowns of a cell and one point in it, in D directions: the solution there, and integration of terms
/// against the test functions. Everywhere `a` = 0 means a value (or what is tested with values), a = 1 + i the
/// derivative in direction i (or what is tested with it).

#include <rhumb/pde/fem/patches.hpp>
#include <array>

namespace rhumb::fem {

/// to(c, a, value) with the values and gradients of the components, from a local array.
template <int D, class To>
inline void gather(const Space& space, const Patch& patch, PetscInt q, const double* local, int components, To&& to) {
  const double* inverse = patch.inverses + q * patch.inverse_stride;
  const PetscInt* closure = space.closure(patch.cell);
  for (int c = 0; c < components; ++c) {
    const PetscInt n = space.element(c).size();
    const double* basis = patch.basis->functions(c, q);
    const PetscInt* unknowns = closure + space.offset(c);
    std::array<double, 1 + D> sums{};
    for (PetscInt b = 0; b < n; ++b) {
      const double value = local[unknowns[b]];
      for (PetscInt a = 0; a <= D; ++a) sums[a] += basis[a * n + b] * value;
    }
    to(c, 0, sums[0]);
    for (int i = 0; i < D; ++i) {
      double derivative = 0.0;
      for (int k = 0; k < D; ++k) derivative += sums[static_cast<std::size_t>(1 + k)] * inverse[k * D + i];
      to(c, 1 + i, derivative);
    }
  }
}

/// to(c, value): without gradients.
template <class To>
inline void gather_values(const Space& space, const Patch& patch, PetscInt q, const double* local, int components,
                          To&& to) {
  const PetscInt* closure = space.closure(patch.cell);
  for (int c = 0; c < components; ++c) {
    const double* basis = patch.basis->functions(c, q);
    const PetscInt* unknowns = closure + space.offset(c);
    double value = 0.0;
    for (PetscInt b = 0; b < space.element(c).size(); ++b) value += basis[b] * local[unknowns[b]];
    to(c, value);
  }
}

/// Adds the weight times term(c, a), tested with the patch's functions, to the local array.
template <int D, class Term>
inline void test_point(const Space& space, const Patch& patch, PetscInt q, int components, Term&& term, double* out) {
  const double* inverse = patch.inverses + q * patch.inverse_stride;
  const double weight = patch.weights[q];
  const PetscInt* closure = space.closure(patch.cell);
  for (int c = 0; c < components; ++c) {
    std::array<double, 1 + D> f{weight * term(c, 0)};
    for (int k = 0; k < D; ++k)
      for (int i = 0; i < D; ++i) f[static_cast<std::size_t>(1 + k)] += weight * term(c, 1 + i) * inverse[k * D + i];
    const PetscInt n = space.element(c).size();
    const double* basis = patch.basis->functions(c, q);
    const PetscInt* unknowns = closure + space.offset(c);
    for (PetscInt b = 0; b < n; ++b) {
      double sum = 0.0;
      for (PetscInt a = 0; a <= D; ++a) sum += basis[a * n + b] * f[a];
      out[unknowns[b]] += sum;
    }
  }
}

/// Adds B^T D B of one point to the matrix of a cell: D holds derivative(c, a, e, b), of term a of component c by b of
/// component e; `tested` is workspace.
template <int D, class Derivative>
inline void add_point(const Space& space, const Patch& patch, PetscInt q, int components, Derivative&& derivative,
                      std::vector<double>& tested, std::vector<double>& matrix) {
  const double* inverse = patch.inverses + q * patch.inverse_stride;
  const double weight = patch.weights[q];
  const PetscInt width = space.per_cell();
  for (int c = 0; c < components; ++c) {
    for (int e = 0; e < components; ++e) {
      std::array<std::array<double, 1 + D>, 1 + D> plain{}, rows{}, d{};
      bool any = false;
      for (std::size_t a = 0; a <= D; ++a)
        for (std::size_t b = 0; b <= D; ++b) {
          plain[a][b] = derivative(c, static_cast<int>(a), e, static_cast<int>(b));
          any = any || plain[a][b] != 0.0;
        }
      if (!any) continue;
      // Into the reference cell: rows by dxi_k/dx_i, columns by dxi_l/dx_j.
      rows[0] = plain[0];
      for (std::size_t k = 0; k < D; ++k)
        for (std::size_t i = 0; i < D; ++i)
          for (std::size_t b = 0; b <= D; ++b) rows[1 + k][b] += inverse[k * D + i] * plain[1 + i][b];
      for (std::size_t a = 0; a <= D; ++a) {
        d[a][0] = weight * rows[a][0];
        for (std::size_t l = 0; l < D; ++l)
          for (std::size_t j = 0; j < D; ++j) d[a][1 + l] += weight * inverse[l * D + j] * rows[a][1 + j];
      }
      const PetscInt n = space.element(c).size(), m = space.element(e).size();
      const double *left = patch.basis->functions(c, q), *right = patch.basis->functions(e, q);
      tested.assign(static_cast<std::size_t>((1 + D) * m), 0.0);
      for (PetscInt a = 0; a <= D; ++a)
        for (PetscInt b = 0; b <= D; ++b) {
          const double factor = d[a][b];
          if (factor == 0.0) continue;
          for (PetscInt j = 0; j < m; ++j) tested[a * m + j] += factor * right[b * m + j];
        }
      for (PetscInt i = 0; i < n; ++i) {
        double* row = matrix.data() + (space.offset(c) + i) * width + space.offset(e);
        for (PetscInt a = 0; a <= D; ++a) {
          const double factor = left[a * n + i];
          const double* from = tested.data() + a * m;
          for (PetscInt j = 0; j < m; ++j) row[j] += factor * from[j];
        }
      }
    }
  }
}

} // namespace rhumb::fem
