#pragma once
/// A mechanical system, or a part of one, as its user writes it: one class, generic in the scalar,
///
///   struct Pendulum {
///     std::size_t coordinates() const { return 2; }
///     std::size_t constraints() const { return 1; }
///     template <class T> void mass(std::span<const T> q, Square<T>& m) const { m(0, 0) = m(1, 1) = T(1.0); }
///     template <class T> void force(const T& t, std::span<const T> q, std::span<const T> v, std::span<T> f) const;
///     template <class T> void constraint(const T& t, std::span<const T> q, std::span<T> phi) const;
///   };
///
/// stands for q' = v, M(q) v' = f(q, v, t) - G^T lambda, 0 = phi(q, t), G = dphi/dq (BCP (6.2.1), with the sign of lambda
/// of the IVP test set). G, the hidden constraints G v + phi_t and their derivatives, and exact matrices come from jets
/// and duals. Large systems are lists of such parts, each with a few of the coordinates, so that matrices are sparse.

#include <rhumb/core/jet.hpp>
#include <memory>
#include <span>
#include <vector>

namespace rhumb::mechanics {

/// A small square matrix of a generic scalar, zero at first.
template <class T>
class Square {
public:
  explicit Square(std::size_t size) : size_(size), entries_(size * size) {}
  T& operator()(std::size_t row, std::size_t column) { return entries_[row * size_ + column]; }
  const T& operator()(std::size_t row, std::size_t column) const { return entries_[row * size_ + column]; }

private:
  std::size_t size_;
  std::vector<T> entries_;
};

/// The unknowns of a part: positions, velocities, accelerations, and multipliers of the constraint, of the stabilized
/// positions and of the stabilized velocities. Those that a form does not have are zero.
template <class T>
struct LocalState {
  T t;
  std::vector<T> q, v, a, lambda, mu, tau;
};

/// What a part adds to the equations.
template <class T>
struct LocalRows {
  std::vector<T> dynamics;                         ///< M a - f + G^T lambda
  std::vector<T> position_push, velocity_push;     ///< G^T mu, G^T tau
  std::vector<T> position, velocity, acceleration; ///< phi and its two derivatives along (v, a)
};

/// How many directions one pass with duals takes.
inline constexpr int directions = 8;
using Scalar = core::Dual<directions>;

/// A part with its scalar types fixed.
class Element {
public:
  virtual ~Element() = default;
  virtual std::size_t coordinates() const = 0;
  virtual std::size_t constraints() const = 0;
  virtual LocalRows<double> rows(const LocalState<double>& at) const = 0;
  virtual LocalRows<Scalar> rows(const LocalState<Scalar>& at) const = 0;
  /// d/dt of phi with the rates q', and of its first derivative with the rates q' and v'.
  struct Hidden {
    std::vector<double> of_position, of_velocity;
  };
  virtual Hidden hidden(const LocalState<double>& at, std::span<const double> qdot,
                        std::span<const double> vdot) const = 0;
  virtual Square<double> mass(std::span<const double> q) const = 0;
  /// G, a row per constraint.
  virtual std::vector<std::vector<double>> gradient(double t, std::span<const double> q) const = 0;
};

template <class Kernel>
class KernelElement final : public Element {
public:
  explicit KernelElement(Kernel kernel) : kernel_(std::move(kernel)) {}

  std::size_t coordinates() const override { return kernel_.coordinates(); }
  std::size_t constraints() const override { return kernel_.constraints(); }
  LocalRows<double> rows(const LocalState<double>& at) const override { return evaluate(at); }
  LocalRows<Scalar> rows(const LocalState<Scalar>& at) const override { return evaluate(at); }

  Hidden hidden(const LocalState<double>& at, std::span<const double> qdot,
                std::span<const double> vdot) const override {
    using Inner = core::Jet<double>;
    using Outer = core::Jet<Inner>;
    std::vector<Inner> q(coordinates()), phi(constraints());
    std::vector<Outer> moving(coordinates()), along(constraints());
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] = {at.q[i], qdot[i]};
      moving[i] = Outer(q[i], Inner(at.v[i], vdot[i]));
    }
    kernel_.template constraint<Inner>(Inner(at.t, 1.0), q, phi);
    kernel_.template constraint<Outer>(Outer(Inner(at.t, 1.0), Inner(1.0)), moving, along);
    Hidden out;
    for (const auto& value : phi) out.of_position.push_back(value.rate);
    for (const auto& value : along) out.of_velocity.push_back(value.rate.rate);
    return out;
  }

  Square<double> mass(std::span<const double> q) const override {
    Square<double> m(coordinates());
    kernel_.template mass<double>(q, m);
    return m;
  }

  std::vector<std::vector<double>> gradient(double t, std::span<const double> q) const override {
    using Jet = core::Jet<double>;
    std::vector<std::vector<double>> out(constraints(), std::vector<double>(coordinates()));
    std::vector<Jet> moving(q.size()), phi(constraints());
    for (std::size_t i = 0; i < q.size(); ++i) moving[i] = Jet(q[i], 0.0);
    for (std::size_t j = 0; j < q.size(); ++j) {
      moving[j].rate = 1.0;
      kernel_.template constraint<Jet>(Jet(t, 0.0), moving, phi);
      moving[j].rate = 0.0;
      for (std::size_t k = 0; k < phi.size(); ++k) out[k][j] = phi[k].rate;
    }
    return out;
  }

private:
  template <class T>
  LocalRows<T> evaluate(const LocalState<T>& at) const {
    const std::size_t n = coordinates();
    LocalRows<T> out;
    out.dynamics.resize(n);
    Square<T> m(n);
    std::vector<T> f(n);
    kernel_.template mass<T>(at.q, m);
    kernel_.template force<T>(at.t, at.q, at.v, f);
    for (std::size_t i = 0; i < n; ++i) {
      out.dynamics[i] = -f[i];
      for (std::size_t j = 0; j < n; ++j) out.dynamics[i] += m(i, j) * at.a[j];
    }
    if (constraints() == 0) return out;
    add_multipliers(at, out);
    differentiate(at, out);
    return out;
  }

  /// G^T times the multipliers: for each coordinate, the derivative of phi by it.
  template <class T>
  void add_multipliers(const LocalState<T>& at, LocalRows<T>& out) const {
    using Jet = core::Jet<T>;
    const std::size_t n = coordinates(), m = constraints();
    std::vector<Jet> q(n), phi(m);
    for (std::size_t i = 0; i < n; ++i) q[i] = Jet(at.q[i], T(0.0));
    out.position_push.resize(n);
    out.velocity_push.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
      q[j].rate = T(1.0);
      kernel_.template constraint<Jet>(Jet(at.t, T(0.0)), q, phi);
      q[j].rate = T(0.0);
      for (std::size_t k = 0; k < m; ++k) {
        out.dynamics[j] += phi[k].rate * at.lambda[k];
        if (!at.mu.empty()) out.position_push[j] += phi[k].rate * at.mu[k];
        if (!at.tau.empty()) out.velocity_push[j] += phi[k].rate * at.tau[k];
      }
    }
  }

  /// phi along the motion: q with rates v and a.
  template <class T>
  void differentiate(const LocalState<T>& at, LocalRows<T>& out) const {
    using Jet = core::Jet<T>;
    std::vector<Jet> q(coordinates()), phi(constraints());
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = Jet(at.q[i], at.v[i], at.a[i]);
    kernel_.template constraint<Jet>(Jet(at.t, T(1.0)), q, phi);
    for (const auto& value : phi) {
      out.position.push_back(value.value);
      out.velocity.push_back(value.rate);
      out.acceleration.push_back(value.second);
    }
  }

  Kernel kernel_;
};

/// A part with the indices of its coordinates in the whole.
struct Part {
  std::unique_ptr<Element> element;
  std::vector<std::size_t> coordinates;
};

template <class Kernel>
Part part(Kernel kernel, std::vector<std::size_t> coordinates) {
  return {std::make_unique<KernelElement<Kernel>>(std::move(kernel)), std::move(coordinates)};
}

} // namespace rhumb::mechanics
