#pragma once
/// Smoothed monitors with their derivatives, cheaply: every cell's monitor is differentiated once, in the few entries
/// that it sees, and the smoothed ones of a node are put together from these (monitor.hpp has the formula). In the wide
/// window of the node's row the same would be done ten times, with many more derivatives that are zero.

#include <rhumb/pde/moving/monitor.hpp>
#include <algorithm>
#include <vector>

namespace rhumb::moving {

/// M^2 of a rank's cells. F entries per node; a cell's monitor sees at most the nodes from one left of it to one right.
template <int F>
class MonitorSquares {
public:
  static constexpr int reach = 2; ///< nodes on each side of the cell's left node
  using Narrow = core::Dual<(2 * reach + 1) * F>;

  /// For the rows of the nodes from `first` to `end` - 1.
  template <class Pde>
  MonitorSquares(const Pde& pde, const WindowPatch& patch, PetscInt first, PetscInt end, double t,
                 const Monitor& monitor, double length)
      : monitor_(monitor), first_(std::max<PetscInt>(first - 1 - monitor.smoothing, 0)), last_(patch.last) {
    constexpr int n = Pde::components;
    const auto make = [&](PetscInt index, int direction) {
      return std::pair(Narrow::variable(patch.y[index], direction), Narrow(0.0));
    };
    const PetscInt beyond = std::min(end + monitor.smoothing, patch.last);
    for (PetscInt c = first_; c < beyond; ++c) {
      const auto w = load<Narrow, n, reach, Unknowns::with_mesh>(patch, c, make);
      const Narrow M = cell_monitor(pde, w, 0, t, monitor, length);
      squares_.push_back(M * M);
    }
  }

  /// Mt of the cells left and right of node i, differentiated in the entries of W nodes on each side of it.
  template <int W>
  auto around(PetscInt i) const {
    using std::sqrt;
    using Wide = core::Dual<(2 * W + 1) * F>;
    std::array<Wide, 2> mean{Wide(0.0), Wide(0.0)};
    for (const int side : {0, 1}) {
      Wide& sum = mean[static_cast<std::size_t>(side)];
      double weight = 0.0;
      for (int distance = -monitor_.smoothing; distance <= monitor_.smoothing; ++distance) {
        const PetscInt cell = i - 1 + side + distance;
        if (cell < 0 || cell >= last_) continue;
        const double share = std::pow(monitor_.gamma / (1.0 + monitor_.gamma), std::abs(distance));
        add<W>(sum, share, cell, i);
        weight += share;
      }
      sum = sqrt(sum * (1.0 / weight));
    }
    return mean;
  }

private:
  template <int W, class Wide>
  void add(Wide& sum, double share, PetscInt cell, PetscInt i) const {
    const Narrow& square = squares_[cell - first_];
    sum.value += share * square.value;
    for (int k = -reach; k <= reach; ++k) {
      const auto from = static_cast<std::size_t>((reach + k) * F);
      const PetscInt node = cell + k - i + W;
      if (node < 0 || node > 2 * W) continue;
      for (std::size_t f = 0; f < static_cast<std::size_t>(F); ++f)
        sum.derivatives[static_cast<std::size_t>(node * F) + f] += share * square.derivatives[from + f];
    }
  }

  const Monitor& monitor_;
  PetscInt first_, last_;
  std::vector<Narrow> squares_;
};

} // namespace rhumb::moving
