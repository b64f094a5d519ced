#pragma once
/// GMRES's small problem: y that makes || beta e_1 - H y || smallest, H the upper Hessenberg matrix of (k + 1) x k that
/// grows by a column an iteration. Rotations turn it into a triangle R; the residual's norm is known after each.

#include <span>
#include <vector>

namespace rhumb::bdf {

class Hessenberg {
public:
  /// A new problem without columns, for at most `most` of them.
  void begin(double beta, int most);

  /// Takes in the next column: products with the vectors before, and the length of what is left. Returns the norm of
  /// the residual.
  double append(std::span<const double> products, double left);

  int columns() const { return columns_; }
  /// False where a diagonal entry of R is zero: there is no y then.
  bool solvable() const;
  /// y of the columns so far.
  std::span<const double> solution();

  /// Frobenius' norm of R, which bounds its largest singular value.
  double norm() const;
  /// The smallest singular value of H, which is R's, by inverse iteration: at most a thousandth too large, as a rule.
  /// Of no columns: 1.
  double smallest_singular_value();

private:
  void solve(std::span<double> x) const;
  void begin_large(std::span<double> x) const;
  void solve_transposed(std::span<double> x) const;
  double& entry(int row, int column) { return triangle_[index(row, column)]; }
  double entry(int row, int column) const { return triangle_[index(row, column)]; }
  std::size_t index(int row, int column) const { return static_cast<std::size_t>(column * most_ + row); }

  int most_ = 0;
  int columns_ = 0;
  std::vector<double> triangle_; ///< R by columns, each `most_` long
  std::vector<double> cosine_, sine_;
  std::vector<double> right_; ///< the rotated beta e_1
  std::vector<double> solution_;
  std::vector<double> direction_; ///< of inverse iteration
};

} // namespace rhumb::bdf
