#pragma once
/// Direct solution of block-tridiagonal systems on one rank: what a line of nodes gives whose rows reach one node to
/// each side. With blocks L_i, D_i, R_i of the rows of node i:
///   E_0 = D_0,   U_i = E_i^-1 R_i,   E_i = D_i - L_i U_{i-1};
///   z_i = E_i^-1 (b_i - L_i z_{i-1}),   x_i = z_i - U_i x_{i+1}.
/// Pivots are chosen inside a block. Dense blocks need no indices: a few times faster than a sparse factorization.

#include <cstdint>
#include <petscksp.h>
#include <span>
#include <vector>

namespace rhumb::dae {

class BlockTridiagonal {
public:
  BlockTridiagonal(std::size_t nodes, std::size_t entries);

  /// From the rows one after another, each with the entries of its blocks side by side (the first node has no L, the
  /// last one no R). False: singular.
  bool factor(std::span<const double> rows);
  void solve(std::span<const double> b, std::span<double> x) const;
  std::size_t stored_entries() const { return (3 * nodes_ - 2) * entries_ * entries_; }

private:
  enum Slot : std::uint8_t { left, diagonal, right };
  /// A block in the rows of node i. Its own rows are `stride_` apart.
  double* block(std::size_t i, Slot slot) { return rows_.data() + i * entries_ * stride_ + slot * entries_; }
  const double* block(std::size_t i, Slot slot) const {
    return rows_.data() + i * entries_ * stride_ + slot * entries_;
  }
  /// Copies the rows of node i, which begin here; gives where those of the next one begin.
  const double* take(std::size_t i, const double* rows);

  std::size_t nodes_, entries_, stride_;
  /// Rows of L, D and R side by side. When all is done: L by columns; E as factors, with the inverse of its diagonal; U
  /// by columns.
  std::vector<double> rows_;
  std::vector<std::size_t> swaps_; ///< row k of a block of E was exchanged with this one
};

/// Makes the preconditioner a solve by BlockTridiagonal. The matrix is a sequential AIJ whose blocks are stored in
/// full.
void factor_as_block_tridiagonal(PC preconditioner, Mat matrix, PetscInt entries);
/// Whether it is one.
bool is_block_tridiagonal(PC preconditioner);

} // namespace rhumb::dae
