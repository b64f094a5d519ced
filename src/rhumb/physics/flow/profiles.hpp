#pragma once
/// Values along lines and at places, and what is read off them. All are the same on all ranks, and called on all.

#include <rhumb/physics/flow/equations.hpp>
#include <utility>

namespace rhumb::flow {

/// A field along `direction` through a place, linear across.
struct VelocityProfile {
  std::vector<double> position, value;
};
struct SampleLine {
  int direction;
  Position through;
};
VelocityProfile profile(const Staggered& grid, int field, const SampleLine& line, Vec y);

/// The extremum nearest to the largest (sign = 1) or smallest (-1) sample, by a polynomial through five samples.
double extremum(const VelocityProfile& profile, int sign);

/// u along the vertical, v along the horizontal line through the middle: u_min, v_max, v_min.
std::vector<std::pair<std::string, double>> centreline_extrema(Equations& equations, Vec y);

/// The stream function of a plane flow at all corners, [ny + 1][nx + 1], zero on the lower side:
/// u = d psi/dy, v = -d psi/dx.
std::vector<double> stream_function(const Staggered& grid, Vec y);
/// Its smallest value, by a parabola through the smallest corner in each direction.
double stream_function_minimum(const Staggered& grid, Vec y);

/// All fields at all places, linear between the unknowns (and the sides): place by place.
std::vector<double> probe_values(Equations& equations, double t, Vec y, const std::vector<Position>& places);

} // namespace rhumb::flow
