#pragma once
/// Points of a mesh for which programs run at once: values, rates and a direction with their derivatives, and the table
/// of places, one row after the other.

#include <rhumb/pde/fem/point_sums.hpp>
#include <rhumb/pde/text/program.hpp>

namespace rhumb::text {

/// Local arrays; those that are not needed are null.
struct LocalArrays {
  const double* values = nullptr;
  const double* rates = nullptr;
  const double* along = nullptr;
};

class PointBatch {
public:
  PointBatch(const fem::Space& space, const std::vector<double>& cell_sizes)
      : space_(space), cell_sizes_(cell_sizes), fields_(static_cast<std::size_t>(space.components())),
        directions_(static_cast<std::size_t>(space.mesh().dimension())), row_(fields_ * (1 + directions_)) {}

  void clear() { count_ = 0; }
  std::size_t size() const { return count_; }
  /// Adds the points of a cell or facet.
  void add(const fem::Patch& patch, const LocalArrays& from);
  /// Adds a row of zeros for a place; values follow by `set`.
  void add_place(const fem::Position& position, PetscInt cell);
  enum class Array { values, rates, along };
  double& at(Array array, std::size_t point, std::size_t field, std::size_t a) {
    return arrays_[static_cast<std::size_t>(array)][point * row_ + a * fields_ + field];
  }
  /// Runs a program over the points; result k of point i stands at [i * results + k].
  const double* run(Program& program);

private:
  template <int D>
  void add_points(const fem::Patch& patch, const LocalArrays& from);
  void extend(std::size_t points);
  void put_place(std::size_t point, const fem::Position& position, const fem::Position* normal, PetscInt cell);

  const fem::Space& space_;
  const std::vector<double>& cell_sizes_;
  std::size_t fields_, directions_, row_, count_ = 0;
  std::array<std::vector<double>, 3> arrays_;
  std::vector<double> places_, results_;
};

/// Calls body(first, last) for stretches of the patches with about as many points as a program runs over at once.
template <class Body>
void for_each_stretch(const fem::Patches& patches, const std::vector<PetscInt>& which, Body&& body) {
  constexpr PetscInt points_at_once = 512;
  for (std::size_t first = 0; first < which.size();) {
    PetscInt points = 0;
    std::size_t last = first;
    while (last < which.size() && points < points_at_once) points += patches[which[last++]].basis->points();
    body(first, last);
    first = last;
  }
}

} // namespace rhumb::text
