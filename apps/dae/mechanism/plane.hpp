#pragma once
/// Rigid bodies in the plane with joints, springs and dampers, as parts of a mechanism. A body's coordinates are the
/// position of its centre of mass and its angle.

#include <rhumb/physics/mechanics/element.hpp>
#include <array>
#include <optional>
#include <string>

namespace rhumb::problems::plane {

using Vector = std::array<double, 2>;

struct Body {
  std::string name;
  double mass = 1.0, inertia = 1.0;
  Vector position{}, velocity{}, force{};
  double angle = 0.0, spin = 0.0, torque = 0.0;
};

/// A point of a body, in its own frame, or of the ground.
struct Anchor {
  std::optional<std::size_t> body; ///< none: the ground
  Vector at{};
};

/// A point in generic scalars.
template <class T>
struct Point {
  T x, y;
};

/// The coordinates of the bodies that two anchors hold on to, three for each body.
inline std::vector<std::size_t> coordinates_of(const Anchor& a, const Anchor& b) {
  std::vector<std::size_t> out;
  for (const Anchor* anchor : {&a, &b})
    if (anchor->body)
      for (std::size_t i = 0; i < 3; ++i) out.push_back(3 * *anchor->body + i);
  return out;
}

/// What acts between two anchors.
struct Pair {
  Anchor a, b;

  std::size_t coordinates() const { return (a.body ? 3U : 0U) + (b.body ? 3U : 0U); }
  template <class T>
  T angle_a(std::span<const T> q) const {
    return a.body ? q[2] : T(0.0);
  }
  template <class T>
  T angle_b(std::span<const T> q) const {
    return b.body ? q[q.size() - 1] : T(0.0);
  }
  template <class T>
  Point<T> point_a(std::span<const T> q) const {
    return a.body ? of_body(q.first(3), a.at) : Point<T>{T(a.at[0]), T(a.at[1])};
  }
  template <class T>
  Point<T> point_b(std::span<const T> q) const {
    return b.body ? of_body(q.last(3), b.at) : Point<T>{T(b.at[0]), T(b.at[1])};
  }

  template <class T>
  static Point<T> of_body(std::span<const T> q, const Vector& at) {
    using std::cos, std::sin;
    const T c = cos(q[2]), s = sin(q[2]);
    return {q[0] + c * at[0] - s * at[1], q[1] + s * at[0] + c * at[1]};
  }
  template <class T>
  void mass(std::span<const T>, mechanics::Square<T>&) const {}
};

/// A body in gravity, with a constant force and torque.
struct BodyKernel {
  const Body* body;
  const Vector* gravity;

  std::size_t coordinates() const { return 3; }
  std::size_t constraints() const { return 0; }
  template <class T>
  void mass(std::span<const T>, mechanics::Square<T>& m) const {
    m(0, 0) = m(1, 1) = T(body->mass);
    m(2, 2) = T(body->inertia);
  }
  template <class T>
  void force(const T&, std::span<const T>, std::span<const T>, std::span<T> f) const {
    f[0] = T(body->mass * (*gravity)[0] + body->force[0]);
    f[1] = T(body->mass * (*gravity)[1] + body->force[1]);
    f[2] = T(body->torque);
  }
  template <class T>
  void constraint(const T&, std::span<const T>, std::span<T>) const {}
};

/// A joint: no force of its own.
struct Joint : Pair {
  template <class T>
  void force(const T&, std::span<const T>, std::span<const T>, std::span<T>) const {}
};

/// The two points are one.
struct Revolute : Joint {
  std::size_t constraints() const { return 2; }
  template <class T>
  void constraint(const T&, std::span<const T> q, std::span<T> phi) const {
    const auto from = point_a(q), to = point_b(q);
    phi[0] = to.x - from.x;
    phi[1] = to.y - from.y;
  }
};

/// The second point stays on a line that the first carries, and the angle between the two stays.
struct Prismatic : Joint {
  Vector normal{};     ///< of the line, in the frame of the first
  double turned = 0.0; ///< angle of the second against the first

  std::size_t constraints() const { return 2; }
  template <class T>
  void constraint(const T&, std::span<const T> q, std::span<T> phi) const {
    using std::cos, std::sin;
    const auto from = point_a(q), to = point_b(q);
    const T c = cos(angle_a(q)), s = sin(angle_a(q));
    phi[0] = (to.x - from.x) * (c * normal[0] - s * normal[1]) + (to.y - from.y) * (s * normal[0] + c * normal[1]);
    phi[1] = angle_b(q) - angle_a(q) - turned;
  }
};

/// How far the second point is above a line that the first carries, less a radius around it: a contact while it is zero.
struct Gap : Joint {
  Vector normal{}; ///< of the line, in the frame of the first
  const double* radius = nullptr;

  std::size_t constraints() const { return 1; }
  template <class T>
  void constraint(const T&, std::span<const T> q, std::span<T> phi) const {
    using std::cos, std::sin;
    const auto from = point_a(q), to = point_b(q);
    const T c = cos(angle_a(q)), s = sin(angle_a(q));
    phi[0] = (to.x - from.x) * (c * normal[0] - s * normal[1]) + (to.y - from.y) * (s * normal[0] + c * normal[1]) -
             T(*radius);
  }
};

/// The two points stay at a distance.
struct Rod : Joint {
  const double* length = nullptr;

  std::size_t constraints() const { return 1; }
  template <class T>
  void constraint(const T&, std::span<const T> q, std::span<T> phi) const {
    const auto from = point_a(q), to = point_b(q);
    const T x = to.x - from.x, y = to.y - from.y;
    phi[0] = 0.5 * (x * x + y * y - *length * *length);
  }
};

/// The angle of the second against the first grows at a given rate.
struct Motor : Joint {
  double begin = 0.0;
  const double* speed = nullptr; ///< rad/s

  std::size_t constraints() const { return 1; }
  template <class T>
  void constraint(const T& t, std::span<const T> q, std::span<T> phi) const {
    phi[0] = angle_b(q) - angle_a(q) - begin - *speed * t;
  }
};

struct SpringData {
  double stiffness = 0.0, length = 0.0, damping = 0.0;
};

/// A spring and a damper between the two points.
struct Spring : Pair {
  const SpringData* data = nullptr;

  std::size_t constraints() const { return 0; }
  template <class T>
  void constraint(const T&, std::span<const T>, std::span<T>) const {}

  /// Tension times the derivative of the length by each coordinate, from jets along the coordinates and the motion.
  template <class T>
  void force(const T&, std::span<const T> q, std::span<const T> v, std::span<T> f) const {
    using Jet = core::Jet<T>;
    std::vector<Jet> moving(q.size());
    for (std::size_t i = 0; i < q.size(); ++i) moving[i] = Jet(q[i], v[i]);
    const Jet now = length(std::span<const Jet>(moving));
    const T tension = data->stiffness * (now.value - data->length) + data->damping * now.rate;
    for (std::size_t i = 0; i < q.size(); ++i) moving[i].rate = T(0.0);
    for (std::size_t i = 0; i < q.size(); ++i) {
      moving[i].rate = T(1.0);
      f[i] = -tension * length(std::span<const Jet>(moving)).rate;
      moving[i].rate = T(0.0);
    }
  }

private:
  template <class T>
  T length(std::span<const T> q) const {
    using std::sqrt;
    const auto from = point_a(q), to = point_b(q);
    const T x = to.x - from.x, y = to.y - from.y;
    return sqrt(x * x + y * y);
  }
};

} // namespace rhumb::problems::plane
