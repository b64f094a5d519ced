#pragma once
/// One level of multigrid for the pressure: the five- or seven-point operator of a grid of cells,
///   (L x)_c = sum over the faces of c of  coefficient * (x_c - x_beside),   coefficient = open area / distance,
/// positive semidefinite, with zero on open ends of the box and no flux through walls and obstacles.

#include <rhumb/physics/flow/cell_blocks.hpp>
#include <rhumb/physics/flow/cell_line.hpp>

namespace rhumb::flow {

/// Areas through which a cell's faces are open, as arrays of a block.
struct OpenAreas {
  std::array<std::vector<double>, 3> lower; ///< face to the cell below in each direction
  std::array<std::vector<double>, 6> end;   ///< face on an open end, lower and upper of each direction; may be empty
};

class LaplacianLevel {
public:
  enum class Colour : std::uint8_t { red, black };

  LaplacianLevel(MPI_Comm comm, std::array<CellLine, 3> lines, Partition partition, const OpenAreas& areas);

  const std::array<CellLine, 3>& lines() const { return lines_; }
  const Partition& partition() const { return partition_; }
  const CellBlock& block() const { return block_; }
  PetscInt cells() const { return partition_.cells(0) * partition_.cells(1) * partition_.cells(2); }
  bool fluid(std::size_t index) const { return inverse_diagonal_[index] > 0.0; }

  std::vector<double> x, rhs, residual; ///< arrays of the block

  /// x = 0, then one half of a Gauss-Seidel sweep.
  void start(Colour colour);
  /// Gauss-Seidel over the cells of one colour; neighbours have the other, but across a periodic end of odd size.
  void sweep(Colour colour);
  /// residual = rhs - L x, or L x.
  void compute_residual();
  void compute_product();

private:
  template <int D>
  double neighbours(std::size_t c) const;
  template <class Body>
  void for_each_of(Colour colour, Body&& body) const;
  void set_coefficients(const OpenAreas& areas);

  std::array<CellLine, 3> lines_;
  Partition partition_;
  CellBlock block_;
  CellExchange layer_;
  std::array<std::vector<double>, 3> coefficients_; ///< of lower faces
  std::vector<double> inverse_diagonal_;            ///< 0 where a cell has no open face
};

} // namespace rhumb::flow
