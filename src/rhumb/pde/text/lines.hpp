#pragma once
/// The points of a rank, sorted by how they lie in the box, in lines.

#include <rhumb/grid/box.hpp>
#include <rhumb/pde/text/discretisation.hpp>
#include <rhumb/pde/text/program.hpp>

namespace rhumb::text {

struct PointGroup {
  Spots spots{};
  std::vector<Line> lines;
};

/// A DMDA with the layout of the box and the neighbours across edges and corners in its halo.
core::DmHandle create_halo_dm(const grid::Box& box);

/// `dm` is one of create_halo_dm. The groups are the same on all ranks; some of them may have no lines.
std::vector<PointGroup> group_points(const grid::Box& box, DM dm);

} // namespace rhumb::text
