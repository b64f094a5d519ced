#pragma once
/// A rank's part of Krylov vectors, kept in single precision as a rule: half the memory and half the traffic of
/// doubles, which is what GMRES mostly consists of. All sums are made in double. A vector is rounded when it is taken
/// in, and what GMRES goes on with is the rounded vector, so that only the relation
///   A v_k = sum_i h_ik v_i + h_k+1,k v_k+1
/// has an error: the rounding of its last term.

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace rhumb::bdf {

class KrylovBasis {
public:
  enum class Precision : std::uint8_t { single_precision, double_precision };

  /// Gives up what it holds.
  void choose(Precision precision);
  /// Of a vector's entries: 2^-24 or 2^-53.
  double rounding() const;

  void clear() { count_ = 0; }
  /// Gives its memory back.
  void release();
  /// Makes room for that many vectors; more come as they are needed.
  void reserve(std::size_t vectors, std::size_t size);
  std::size_t count() const { return count_; }
  std::size_t capacity() const;

  /// Takes in factor w, rounded; w becomes what was taken in.
  void append(std::span<double> w, double factor);
  /// products[j] = v_j . w
  void multiply(std::span<const double> w, std::span<double> products) const;
  /// w -= sum of coefficients[j] v_j; returns w . w
  double subtract(std::span<const double> coefficients, std::span<double> w) const;
  /// x += sum of coefficients[j] v_j
  void add(std::span<const double> coefficients, std::span<double> x) const;

private:
  template <class Real>
  using Vectors = std::vector<std::vector<Real>>;

  std::variant<Vectors<float>, Vectors<double>> vectors_;
  std::size_t count_ = 0;
};

} // namespace rhumb::bdf
