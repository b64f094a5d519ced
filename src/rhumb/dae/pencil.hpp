#pragma once
/// The index of a small DAE from its matrices: with A = dF/dy' and B = dF/dy at a point, that of the matrix pencil
/// s A + B (BCP 2.3; for coefficients that change in time this is the local index, Definition 2.4.3). Dense, by LAPACK.
/// Rank decisions are made by singular values after scaling of rows and columns. No vectors, no MPI.

#include <cstddef>
#include <span>
#include <vector>

namespace rhumb::dae {

/// A and B, each size x size, by rows.
struct Pencil {
  std::size_t size = 0;
  std::vector<double> rates;  ///< A
  std::vector<double> values; ///< B
};

/// What the pencil has too much or too little of: entries that take part in its null vectors.
struct NullParts {
  int count = 0;                   ///< how many independent null vectors; 0: the pencil is regular
  bool constant = false;           ///< the same null vectors for every s: combinations that no equation holds
  std::vector<char> rows, columns; ///< take part in left and right null vectors
};

inline constexpr int unclear = -1000;

struct PencilIndex {
  NullParts null;
  /// -1 where the pencil is singular for every s and does not become regular by fixing what no equation holds. Else
  /// the index of the pencil, with that fixed.
  int index = -1;
  /// The power of 1/h in each variable's entry of (A/h + B)^-1 r, as in signature.hpp; `unclear` where it is none.
  std::vector<int> growth;
};

/// Larger ones take minutes.
inline constexpr std::size_t largest_pencil = 400;

/// Singular values below this part of the largest one are 0: differences with large increments round at about 1e-11.
struct RankTolerance {
  double relative = 1e-9;
};
inline constexpr RankTolerance of_differences{1e-9}, of_exact_matrices{1e-11};

PencilIndex pencil_index(const Pencil& pencil, RankTolerance tolerance);

} // namespace rhumb::dae
