#pragma once
/// What the equations of a node see: the node and W neighbours on each side, in any scalar.

#include <rhumb/core/dual.hpp>
#include <array>
#include <cstdint>
#include <petscsys.h>

namespace rhumb::moving {

/// What stands in y at each node: u alone on a fixed mesh; u and x on a moving one; and beside them, where the
/// monitor's floor is a mean over the domain, the part of its integral left of the node and the whole integral; or,
/// where volumes are balanced (balance.hpp), their contents.
enum class Unknowns : std::uint8_t { solution, with_mesh, with_floor, with_contents };

/// Entries per node.
constexpr int entries(int components, Unknowns unknowns) {
  switch (unknowns) {
  case Unknowns::solution:
    return components;
  case Unknowns::with_mesh:
    return components + 1;
  case Unknowns::with_floor:
    return components + 3;
  case Unknowns::with_contents:
    return 2 * components + 1;
  }
  return 0;
}

/// The widest window: smoothing over four cells of a monitor of curvatures.
inline constexpr int widest_window = 6;

/// A node: values and their time derivatives along the node's path.
template <class S, int n>
struct Node {
  std::array<S, static_cast<std::size_t>(n)> u{}, u_rate{};
  S x{}, x_rate{};
  S part{};  ///< integral of the monitor's density from the left end to here
  S whole{}; ///< the same to the right end, the same number at all nodes
  /// Integral of u over the node's volume, over the mean size of a volume.
  std::array<S, static_cast<std::size_t>(n)> content{}, content_rate{};
};

template <class S, int n, int W>
struct Window {
  using Scalar = S;
  static constexpr int components = n;
  static constexpr int width = W;

  std::array<Node<S, n>, static_cast<std::size_t>(2 * W + 1)> nodes;
  PetscInt index = 0; ///< of the node in the middle
  PetscInt last = 0;  ///< index of the mesh's last node

  /// The node k places to the right.
  const Node<S, n>& operator()(int k) const { return nodes[W + k]; }
  bool has(int k) const { return k >= -W && k <= W && index + k >= 0 && index + k <= last; }
  /// Whether there is a cell between node k and node k + 1, and it can be seen.
  bool has_cell(int k) const { return has(k) && has(k + 1); }
  bool at_left() const { return index == 0; }
  bool at_right() const { return index == last; }
  bool at_end() const { return at_left() || at_right(); }
};

/// A rank's nodes with their ghosts; pointers are shifted so that entry f of global node i is at i * F + f.
struct WindowPatch {
  const double* y = nullptr;
  const double* rate = nullptr;
  const double* fixed_x = nullptr; ///< of all nodes, where the mesh is no unknown
  PetscInt last = 0;
  PetscInt low = 0, high = last; ///< the nodes that are here, ghosts included
};

/// Builds the window around node i. make(place, direction) gives the pair (value, rate) of entry `place` of y in the
/// scalar S, `direction` being its number in the window. The ends of the domain do not move.
template <class S, int n, int W, Unknowns U, class Make>
Window<S, n, W> load(const WindowPatch& patch, PetscInt i, Make&& make) {
  constexpr int F = entries(n, U);
  Window<S, n, W> window;
  window.index = i;
  window.last = patch.last;
  for (int k = -W; k <= W; ++k) {
    const PetscInt j = i + k;
    if (j < patch.low || j > patch.high) continue;
    auto& node = window.nodes[W + k];
    const PetscInt index = j * F;
    const int direction = (W + k) * F;
    for (int f = 0; f < n; ++f) {
      const auto [value, rate] = make(index + f, direction + f);
      node.u[f] = value;
      node.u_rate[f] = rate;
    }
    if constexpr (U == Unknowns::solution) {
      node.x = S(patch.fixed_x[j]);
    } else {
      const auto [value, rate] = make(index + n, direction + n);
      node.x = value;
      if (j > 0 && j < patch.last) node.x_rate = rate;
    }
    if constexpr (U == Unknowns::with_floor) {
      node.part = make(index + n + 1, direction + n + 1).first;
      node.whole = make(index + n + 2, direction + n + 2).first;
    }
    if constexpr (U == Unknowns::with_contents)
      for (int f = 0; f < n; ++f) {
        const auto [value, rate] = make(index + n + 1 + f, direction + n + 1 + f);
        node.content[f] = value;
        node.content_rate[f] = rate;
      }
  }
  return window;
}

} // namespace rhumb::moving
