/// Values at places of a mesh, on every kind of cell.

#include <rhumb/pde/fem/probes.hpp>

#include <rhumb/core/failure.hpp>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace rhumb;
using fem::Position;

namespace {

grid::Unstructured mesh(const std::string& name) {
  return {PETSC_COMM_WORLD, std::string(std::getenv("RHUMB_SOURCE")) + "/meshes/" + name + ".msh", 0};
}

/// A polynomial of that degree.
double polynomial(const Position& x, int degree) {
  const double line = 0.3 + x[0] - 2.0 * x[1] + 1.5 * x[2];
  return std::pow(line, degree) + x[0];
}

/// Largest difference between the polynomial and the probes of two components, of which the second has order 1.
double largest_error(const grid::Unstructured& grid, int order, int degree, const std::vector<Position>& positions) {
  const fem::Space space(grid, {order, 1});
  std::vector<double> local(static_cast<std::size_t>(space.local_count()));
  for (PetscInt i = 0; i < space.local_count(); ++i)
    local[i] = polynomial(space.position(i), space.component_of(i) == 0 ? degree : 1);
  const fem::Probes probes(space, positions);
  const auto first = probes.values(0, local.data()), second = probes.values(1, local.data());
  double largest = 0.0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    largest = std::max(largest, std::abs(first[i] - polynomial(positions[i], degree)));
    if (grid.order() == 1) largest = std::max(largest, std::abs(second[i] - polynomial(positions[i], 1)));
  }
  return largest;
}

/// Inside, on an edge or a face, at corners.
const std::vector<Position> in_square{{0.31, 0.77, 0}, {0.5, 0.013, 0}, {0, 0, 0},
                                      {1, 1, 0},       {0.25, 1, 0},    {1, 0.5, 0}};
const std::vector<Position> in_cube{{0.31, 0.77, 0.11}, {0.5, 0.5, 0.5}, {0, 0, 0}, {1, 1, 1}, {0.25, 1, 0.6}};

} // namespace

class Straight : public testing::TestWithParam<const char*> {};

TEST_P(Straight, CellsMeetAPolynomialOfTheirOrder) {
  const auto grid = mesh(GetParam());
  for (const int order : {1, 2, 3})
    EXPECT_LT(largest_error(grid, order, order, grid.dimension() == 2 ? in_square : in_cube), 1e-11) << order;
}

INSTANTIATE_TEST_SUITE_P(Probes, Straight, testing::Values("square", "square_quads", "cube", "cube_hexahedra"));

TEST(Probes, CurvedCellsMeetAPolynomialOfDegreeOne) {
  // On the circle, just outside it between two nodes, in the wake, on the outflow.
  const std::vector<Position> around{{0.15, 0.2, 0}, {0.25, 0.2, 0}, {0.2, 0.2501, 0}, {0.236, 0.236, 0},
                                     {0.7, 0.21, 0}, {2.2, 0.1, 0},  {0, 0, 0}};
  const auto channel = mesh("cylinder2d");
  for (const int order : {2, 3}) EXPECT_LT(largest_error(channel, order, 1, around), 1e-12) << order;
  const std::vector<Position> in_ball{{0, 0, 0}, {0.4, 0, 0}, {0.3, -0.3, 0.2}, {0.5, 0.5, 0.68}, {0, 0, -0.9999}};
  EXPECT_LT(largest_error(mesh("sphere"), 2, 1, in_ball), 1e-12);
}

TEST(Probes, OutsideTheMeshIsRefusedOnAllRanks) {
  const auto square = mesh("square"), channel = mesh("cylinder2d");
  const fem::Space plane(square, {1}), curved(channel, {2});
  EXPECT_THROW(fem::Probes(plane, {{0.5, 0.5, 0}, {1.01, 0.5, 0}}), core::BadInput);
  EXPECT_THROW(fem::Probes(curved, {{0.2, 0.2, 0}}), core::BadInput);
  EXPECT_THROW(fem::Probes(curved, {{0.2, 0.24, 0}}), core::BadInput);
  try {
    fem::Probes(plane, {{0.5, 0.5, 0}, {-1, 0.25, 0}}, "watch");
    FAIL();
  } catch (const core::BadInput& problem) {
    EXPECT_NE(std::string(problem.what()).find("-watch: point 2, (-1, 0.25), is outside the mesh"), std::string::npos)
        << problem.what();
  }
}

TEST(Probes, NoPlacesGiveNoValues) {
  const auto square = mesh("square");
  const fem::Space space(square, {1});
  const std::vector<double> local(static_cast<std::size_t>(space.local_count()));
  EXPECT_TRUE(fem::Probes(space, {}).values(0, local.data()).empty());
}
