#pragma once
/// Nodes that come and go where a measure of the error in space asks for it. Cells are halved where the error of linear
/// interpolation, h^2 |u_xx| / 8, is above a wanted one, nodes are taken out where they are not needed, and
/// neighbouring cells keep a bounded ratio. All other nodes stay where they are, with their values.

#include <rhumb/pde/moving/profile.hpp>
#include <cstddef>
#include <vector>

namespace rhumb::moving {

/// |u_xx| at the nodes: root mean square over the components, each over its scale. At the ends that of the next node.
std::vector<double> curvatures(const Profile& profile, const std::vector<double>& scales);

/// Of each cell: h^2 / 8 times the larger |u_xx| of its two nodes.
std::vector<double> cell_errors(const Profile& profile, const std::vector<double>& scales);

/// The largest length of a cell over that of a neighbour.
double largest_ratio(const std::vector<double>& x);

/// How many cells would have the wanted error each, were they as long as that asks: the sum of (error / wanted)^(1/2).
double ideal_cells(const std::vector<double>& errors, double wanted);

struct WantedMesh {
  double error = 0.0; ///< of a cell
  std::size_t fewest = 5;
  std::size_t most = 0; ///< cells
};

struct Refined {
  std::vector<double> x;
  double error = 0.0; ///< the wanted error, or more where it would take too many cells
};

/// The profile's nodes after insertion and deletion.
Refined refined(const Profile& profile, const std::vector<double>& scales, const WantedMesh& wanted);

} // namespace rhumb::moving
