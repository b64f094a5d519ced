/// Multigrid for the pressure: that it solves the right operator, and in how many iterations, on grids of all kinds.

#include "flow_case.hpp"
#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/physics/flow/pressure_multigrid.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace rhumb;
using core::check;

using Settings = std::map<std::string, std::string>;

/// A flow's grid and its multigrid; vectors over this rank's cells.
class Pressure {
public:
  explicit Pressure(const Settings& settings)
      : case_(flow::read_case(core::Options(settings))),
        grid_(PETSC_COMM_WORLD, case_.shape, case_.stretch, flow::Staggered::Scalar::absent),
        equations_(case_, grid_, flow::Level::mean), multigrid_(equations_) {}

  flow::PressureMultigrid& multigrid() { return multigrid_; }
  flow::Equations& equations() { return equations_; }

  /// Numbers that depend on the cell alone, zero in obstacles, with sum zero where the box is closed.
  std::vector<double> numbers(double seed) {
    std::vector<double> out;
    std::array<double, 2> sums{};
    grid_.for_each_cell([&](PetscInt, const flow::Index& cell) {
      const bool fluid = !equations_.boundary().solid(cell);
      const double wave = seed + 1.7 * static_cast<double>(cell[0]) + 2.9 * static_cast<double>(cell[1]) +
                          4.3 * static_cast<double>(cell[2]);
      out.push_back(fluid ? std::sin(wave) + std::cos(0.1 * wave * wave) : 0.0);
      sums[0] += out.back();
      sums[1] += fluid ? 1.0 : 0.0;
    });
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
    for (double& value : out)
      if (case_.closed() && value != 0.0) value -= sums[0] / sums[1];
    return out;
  }

  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
    return sum;
  }

  /// Conjugate gradients until the residual is 1e-12 of the right side.
  int iterations() {
    std::vector<double> r = numbers(0.3), z(r.size()), p(r.size()), product(r.size());
    const double target = 1e-24 * dot(r, r);
    double last = 0.0;
    for (int count = 0; count < 100; ++count) {
      if (dot(r, r) < target) return count;
      multigrid_.cycle(r, z);
      const double now = dot(r, z), beta = count == 0 ? 0.0 : now / last;
      for (std::size_t i = 0; i < p.size(); ++i) p[i] = z[i] + beta * p[i];
      multigrid_.product(p, product);
      const double step = now / dot(p, product);
      for (std::size_t i = 0; i < r.size(); ++i) r[i] -= step * product[i];
      last = now;
    }
    return 100;
  }

private:
  flow::Case case_;
  flow::Staggered grid_;
  flow::Equations equations_;
  flow::PressureMultigrid multigrid_;
};

const Settings with_block{
    {"problem", "obstacle"}, {"dim", "3"}, {"n", "24,10,12"}, {"solid", "(abs(x-1)<0.3)&&(abs(y-0.4)<0.25)&&(z<0.5)"}};

Settings cavity(const std::string& cells, const std::string& stretch) {
  const auto directions = core::split_at_commas(cells).size();
  return {{"problem", "cavity"}, {"dim", std::to_string(directions)}, {"n", cells}, {"stretch", stretch}};
}

TEST(PressureMultigrid, HasTheOperatorThatTheIterationMatrixHas) {
  for (const Settings& settings : {cavity("9,12,8", "1.6,0,1"), with_block}) {
    Pressure pressure(settings);
    flow::Equations& equations = pressure.equations();
    const flow::Staggered& grid = equations.grid();
    const core::MatHandle matrix = equations.create_matrix();
    const core::VecHandle y = grid.create_vector(), gradient = core::same_layout(y), product = core::same_layout(y);
    equations.jacobian(0.0, y, 0.0, matrix);
    const std::vector<double> x = pressure.numbers(1.0);
    std::vector<double> out(x.size());
    pressure.multigrid().product(x, out);
    {
      const core::Writable values(y);
      std::size_t next = 0;
      grid.for_each_unknown(grid.dimension(), [&](PetscInt local, const flow::Index&) { values[local] = x[next++]; });
    }
    check(MatMult(matrix, y, gradient));
    check(VecSet(product, 0.0));
    equations.divergence(gradient, product);
    const core::Readable wanted(product);
    double largest = 0.0;
    std::size_t next = 0;
    grid.for_each_unknown(grid.dimension(), [&](PetscInt local, const flow::Index& cell) {
      const double expected = -wanted[local] * grid.volume(grid.dimension(), cell);
      EXPECT_NEAR(out[next], expected, 1e-11 * (1.0 + std::abs(expected)));
      largest = std::max(largest, std::abs(out[next++]));
    });
    EXPECT_GT(largest, 1e-3);
  }
}

TEST(PressureMultigrid, HasASymmetricCycle) {
  for (const Settings& settings : {cavity("33,20,9", "1.6,0,1"), cavity("37,26", "0,2"), with_block}) {
    Pressure pressure(settings);
    const std::vector<double> a = pressure.numbers(0.1), b = pressure.numbers(0.7);
    std::vector<double> from_a(a.size()), from_b(b.size());
    pressure.multigrid().cycle(a, from_a);
    pressure.multigrid().cycle(b, from_b);
    const double one = Pressure::dot(from_a, b), other = Pressure::dot(a, from_b);
    EXPECT_NEAR(one, other, 1e-10 * std::abs(one));
  }
}

TEST(PressureMultigrid, NeedsFewIterationsOnGridsOfAllKinds) {
  struct Expected {
    Settings settings;
    int most;
  };
  const Settings periodic{{"problem", "taylor_green"}, {"dim", "3"}, {"n", "15,16,21"}};
  const Settings channel{
      {"problem", "channel"}, {"dim", "3"}, {"n", "16,24,11"}, {"solid", "(abs(x-0.5)<0.2)&&(abs(y)<0.3)"}};
  for (const auto& [settings, most] :
       {Expected{cavity("32,32,32", "0,0,0"), 16}, Expected{cavity("31,17,23", "0,0,0"), 19},
        Expected{cavity("32,32,32", "1.6,1.6,1.6"), 16}, Expected{cavity("64,64", "1.6,1.6"), 14},
        Expected{cavity("129,65", "0,0"), 16}, Expected{cavity("40,8", "0,3"), 16}, Expected{periodic, 19},
        Expected{channel, 18}, Expected{with_block, 18}}) {
    Pressure pressure(settings);
    const int count = pressure.iterations();
    EXPECT_LE(count, most) << settings.at("problem") << " " << settings.at("n");
    fmt::print("{} {}: {} levels, {} iterations\n", settings.at("problem"), settings.at("n"),
               pressure.multigrid().levels(), count);
  }
}

TEST(PressureMultigrid, IsMentionedWhereItIsUsed) {
  const auto remarks = [](const Settings& settings) { return tests::make_flow(settings)->remarks(); };
  const auto with_obstacle = remarks(with_block);
  ASSERT_EQ(with_obstacle.size(), 1U);
  EXPECT_NE(with_obstacle.front().find("multigrid: there are obstacles"), std::string::npos);
  EXPECT_TRUE(remarks(cavity("16,16,16", "0,0,0")).empty()); // slabs of 4 cells on 4 ranks
}

} // namespace
