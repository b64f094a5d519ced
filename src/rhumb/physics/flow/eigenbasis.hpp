#pragma once
/// Eigenvalues and orthonormal eigenvectors of symmetric matrices, by LAPACK.

#include <vector>

namespace rhumb::flow {

struct Eigenbasis {
  std::vector<double> values;
  std::vector<double> vectors; ///< one after the other
};

/// `diagonal` has n entries, `beside` the n - 1 next to it.
Eigenbasis tridiagonal_eigenbasis(std::vector<double> diagonal, std::vector<double> beside);

/// A dense matrix of n rows.
Eigenbasis symmetric_eigenbasis(std::vector<double> matrix, std::size_t n);

} // namespace rhumb::flow
