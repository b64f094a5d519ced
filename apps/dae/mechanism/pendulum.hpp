#pragma once
/// The pendulum of BCP (6.2.4), L = 1, as a kernel; gravity points up, as in the book's tables.

#include <rhumb/physics/mechanics/element.hpp>

namespace rhumb::problems {

struct PendulumKernel {
  const double* gravity; ///< (6.2.4b)

  std::size_t coordinates() const { return 2; }
  std::size_t constraints() const { return 1; }
  template <class T>
  void mass(std::span<const T>, mechanics::Square<T>& m) const {
    m(0, 0) = m(1, 1) = T(1.0);
  }
  template <class T>
  void force(const T&, std::span<const T>, std::span<const T>, std::span<T> f) const {
    f[1] = T(-*gravity);
  }
  template <class T>
  void constraint(const T&, std::span<const T> q, std::span<T> phi) const {
    phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

} // namespace rhumb::problems
