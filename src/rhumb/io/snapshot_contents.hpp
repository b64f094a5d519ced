#pragma once
/// What goes into one snapshot: mesh, fields and attributes as datasets in global order.

#include <rhumb/dae/problem.hpp>
#include <rhumb/io/shared_file.hpp>
#include <rhumb/io/snapshot.hpp>

namespace rhumb::io {

/// A state of a problem.
struct SnapshotTime {
  long number = 0; ///< of the snapshot
  double t = 0.0;
  long step = 0;
  Vec y = nullptr;
  Vec ydot = nullptr;
};

/// Which snapshot holds the points of a box. They follow from the axes and are three times as long as a field, so later
/// snapshots with the same axes refer to the first.
class PointsHolder {
public:
  /// The number of the snapshot that holds the points of `mesh`; `number` itself when no earlier one does.
  long holder(const grid::Mesh& mesh, long number);

private:
  std::vector<std::vector<double>> axes_;
  long number_ = -1;
};

/// /mesh and its datasets, for the snapshot `number`. Collective.
FileContents mesh_contents(MPI_Comm comm, const grid::Mesh& mesh, long number, PointsHolder& points);

/// /fields and its datasets; face fields also as means in the cells. Collective. Throws std::logic_error, on all ranks,
/// when a field does not fit the mesh.
FileContents field_contents(MPI_Comm comm, const grid::Mesh& mesh, std::vector<grid::FieldBlock> fields);

/// The fields of a problem without geometry: a list each, in rank order. Collective.
std::vector<grid::FieldBlock> listed_fields(MPI_Comm comm, const dae::Problem& problem, Vec y);

/// All of a snapshot but the attributes of the root.
FileContents snapshot_contents(MPI_Comm comm, dae::Problem& problem, const SnapshotTime& moment, PointsHolder& points,
                               Additions additions = {});

} // namespace rhumb::io
