#pragma once
/// Figures of functions that are linear in the cells of a line or a plane whose points move.

#include <rhumb/pde/text/case.hpp>
#include <rhumb/pde/text/point_kernel.hpp>

namespace rhumb::text {

class MovingFigures {
public:
  explicit MovingFigures(const Case& read);

  /// The numbers of one corner of a cell: its coordinates, its fields. Cells are all of their corners, one cell after
  /// another, each on one rank.
  std::size_t corner_size() const { return directions_ + fields_; }
  /// Collective.
  std::vector<std::pair<std::string, double>> values(MPI_Comm comm, double t, std::span<const double> parameters,
                                                     const std::vector<double>& cells) const;

private:
  /// One cell, and what is to be asked of it.
  struct Cell {
    const double* corners;
    std::vector<double> row; ///< of a point in it
    double volume = 0.0;
  };
  Cell cell(const double* corners) const;
  /// The operand at a point of the cell.
  double at(std::size_t which, const Uniforms& now, Cell& cell, std::span<const double> barycentric) const;
  double reduce(MPI_Comm comm, std::size_t which, const Uniforms& now, const std::vector<double>& cells) const;
  double integral(std::size_t which, const Uniforms& now, Cell& cell) const;
  double maximum(std::size_t which, const Uniforms& now, Cell& cell, double sign) const;
  /// Whether the cell holds the probe, and where.
  bool find(std::size_t which, const Cell& cell, std::array<double, 3>& barycentric) const;
  double position(std::size_t which, const Uniforms& now, const std::vector<double>& cells) const;

  std::size_t directions_, fields_;
  std::vector<Reduction> reductions_;
  std::vector<std::string> origins_;
  std::vector<PointKernel> operands_;
  std::vector<std::string> names_;
  mutable Program figures_;
};

} // namespace rhumb::text
