#pragma once
/// A field of another run on a box, from its last snapshot, as a function of place.

#include <rhumb/io/atomic_file.hpp>
#include <mpi.h>
#include <span>
#include <vector>

namespace rhumb::io {

class StoredField {
public:
  /// Coordinates ascend; the first direction runs fastest in `values`.
  StoredField(std::vector<std::vector<double>> coordinates, std::vector<double> values)
      : coordinates_(std::move(coordinates)), values_(std::move(values)) {}

  std::size_t directions() const { return coordinates_.size(); }
  /// Linear between points; beyond the ends the value there.
  double operator()(std::span<const double> position) const;
  /// The field is periodic in this direction: at `end`, behind the last point, it is again what it is at the first.
  void repeat(std::size_t direction, double end);

private:
  std::vector<std::vector<double>> coordinates_; ///< by direction
  std::vector<double> values_;
};

/// From a run's folder, its last snapshot, or from a snapshot itself. Read by one rank, in a process of its own; all
/// ranks get it. Collective. Throws core::BadInput where there is no such field, or none on a box's points.
StoredField read_stored_field(MPI_Comm comm, const Path& location, const std::string& field);

} // namespace rhumb::io
