/// Rank, index and kinds of small systems, and that all numbers of ranks say the same.

#include <rhumb/dae/structure.hpp>

#include "../bdf/small_systems.hpp"
#include "two_fields.hpp"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace rhumb;
using dae::Kind;
using Values = std::span<const double>;

namespace {

dae::Structure structure_of(dae::System& system, double t = 0.0) {
  const auto y = system.create_vector(), ydot = core::same_layout(y);
  system.initial_values(t, y, ydot);
  dae::GuardedSystem guarded(system);
  return dae::analyse_structure(guarded, t, y, ydot, 1.0);
}

std::vector<dae::Field> fields(std::initializer_list<std::pair<const char*, Kind>> list) {
  std::vector<dae::Field> out;
  for (const auto& [name, kind] : list) out.push_back({.name = name, .kind = kind});
  return out;
}

void expect_words(const dae::Structure& found, std::initializer_list<const char*> words) {
  for (const char* text : words) EXPECT_NE(found.text.find(text), std::string::npos) << text << "\n" << found.text;
}

constexpr Kind d = Kind::differential;

TEST(Structure, FindsTheIndexOneThatThePatternOfBcpHides) {
  test::Pointwise system(fields({{"x", d}, {"y", d}}), {1, 1}, {0, 0},
                         [](double t, Values y, Values ydot, std::span<double> f) {
                           f[0] = ydot[0] + ydot[1] + y[0] + y[1] - std::cos(t);
                           f[1] = ydot[0] + ydot[1] + y[0] + 2.0 * y[1] - t;
                         });
  const auto found = structure_of(system);
  EXPECT_EQ(found.index, 1);
  EXPECT_FALSE(found.singular);
  expect_words(found, {"index 1 (of the matrix pencil), structural index 0"});
}

TEST(Structure, OfBcpExample241IsASingularPencil) {
  test::Pointwise system(fields({{"x", d}, {"y", d}}), {1, 1}, {0, 0},
                         [](double t, Values y, Values ydot, std::span<double> f) {
                           f[0] = ydot[0] + t * ydot[1] - 1.0;
                           f[1] = y[0] + t * y[1] - 2.0;
                         });
  const auto found = structure_of(system, 0.5);
  EXPECT_EQ(found.index, -1);
  EXPECT_FALSE(found.singular) << "the pattern does not show it";
  expect_words(found, {"singular for every step", "Example 2.4.1"});
}

TEST(Structure, OfBcpExample242IsOfLocalIndexTwoWithAWarning) {
  test::Pointwise system(fields({{"x", d}, {"y", d}}), {1, 1}, {0, 0},
                         [](double t, Values y, Values ydot, std::span<double> f) {
                           f[0] = -t * ydot[0] + t * t * ydot[1] + y[0];
                           f[1] = -ydot[0] + t * ydot[1] + y[1];
                         });
  const auto found = structure_of(system, 0.5);
  EXPECT_EQ(found.index, 2);
  expect_words(found, {"structural index 0", "Example 2.4.2"});
}

TEST(Structure, OfBcpExample243ChangesItsIndexAtTheStart) {
  const auto phi = [](double t) { return t > 0.0 ? std::exp(-1e-3 / t) : 0.0; };
  test::Pointwise system(fields({{"x", d}, {"y", d}}), {1, 1}, {0, 0},
                         [phi](double t, Values y, Values ydot, std::span<double> f) {
                           f[0] = phi(t) * ydot[1] + y[0] - 1.0;
                           f[1] = phi(-t) * ydot[0] + y[1] - 1.0;
                         });
  expect_words(structure_of(system, 0.0), {"it changes along the solution", "where entries vanish"});
  EXPECT_EQ(structure_of(system, 0.5).index, 2);
  EXPECT_EQ(structure_of(system, -0.5).index, 2);
}

TEST(Structure, NamesARedundantRowAndWhatItLeavesFree) {
  test::Pointwise system(fields({{"x", d}, {"y", Kind::index1}, {"z", Kind::index1}}), {1, 1, 1}, {0, 0, 0},
                         [](double, Values y, Values ydot, std::span<double> f) {
                           f[0] = ydot[0] + y[0] * y[0];
                           f[1] = y[0] + y[1] + y[2] - 1.0;
                           f[2] = 2.0 * f[1];
                         });
  const auto found = structure_of(system);
  EXPECT_FALSE(found.singular);
  expect_words(found, {"equations of field y, field z repeat others", "leave field y, field z undetermined"});
}

TEST(Structure, CountsTheFreePressureLevelsOfTwoBasins) {
  // Two rings of three nodes: u_e' = p_a - p_b - u_e along each edge, and what flows into a node flows out of it.
  std::vector<dae::Field> names;
  for (const char* basin : {"a", "b"})
    for (int k = 0; k < 3; ++k) names.push_back({.name = std::string("u_") + basin + std::to_string(k)});
  for (const char* basin : {"a", "b"})
    for (int k = 0; k < 3; ++k)
      names.push_back({.name = std::string("p_") + basin + std::to_string(k), .kind = Kind::index2});
  test::Pointwise system(names, std::vector<double>(12, 0.1), std::vector<double>(12, 0.0),
                         [](double, Values y, Values ydot, std::span<double> f) {
                           for (std::size_t basin : {0, 3})
                             for (std::size_t k = 0; k < 3; ++k) {
                               const std::size_t here = basin + k, next = basin + (k + 1) % 3;
                               f[here] = ydot[here] - y[6 + here] + y[6 + next] + y[here];
                               f[6 + here] = y[here] - y[basin + (k + 2) % 3];
                             }
                         });
  const auto found = structure_of(system);
  EXPECT_EQ(found.index, 2);
  const long levels = 2L * static_cast<long>(system.points) * test::all_ranks();
  expect_words(found, {fmt::format("{} combinations of variables stand in no equation", levels).c_str(),
                       "leave field p_a0, field p_a1, field p_a2, field p_b0"});
}

TEST(Structure, NamesTheFieldThatNothingDeterminesAndTheOneThatIsDeterminedTwice) {
  test::Pointwise system(fields({{"x", d}, {"y", d}, {"z", Kind::index1}}), {1, 1, 1}, {0, 0, 0},
                         [](double t, Values y, Values ydot, std::span<double> f) {
                           f[0] = ydot[0] + y[0] - t;
                           f[1] = y[0] - 1.0;
                           f[2] = ydot[1] + y[2];
                         });
  const auto found = structure_of(system);
  EXPECT_TRUE(found.singular);
  expect_words(found, {"structurally singular", "equations of field x, field y hold only", "of field x;",
                       "underdetermined", "of field y, field z stand only in"});
}

TEST(Structure, ProposesKindsWhereNoneWereDeclared) {
  test::Pointwise system(fields({{"x", d}, {"v", d}, {"z", d}, {"lambda", d}}), {1, 0.2, 1, 0.5}, {0, 0, 0, 0},
                         [](double t, Values y, Values ydot, std::span<double> f) {
                           f[0] = ydot[0] - y[1];
                           f[1] = ydot[1] - y[3] * y[0];
                           f[2] = y[2] - y[0] * y[0];
                           f[3] = y[1] - std::sin(t); // a velocity: index 2
                         });
  const auto found = structure_of(system);
  EXPECT_TRUE(found.contradicted);
  EXPECT_EQ(found.index, 2);
  expect_words(found, {"declare field z as index 1", "declare field lambda as index 2",
                       "v            declared "
                       "differential; found differential\n"});
}

TEST(Structure, ContradictsADifferentialVariableThatIsDeclaredAlgebraic) {
  test::Pointwise system(fields({{"x", Kind::index1}}), {1}, {0},
                         [](double, Values y, Values ydot, std::span<double> f) { f[0] = ydot[0] + y[0]; });
  const auto found = structure_of(system);
  EXPECT_TRUE(found.contradicted);
  expect_words(found, {"declare field x as differential"});
}

TEST(Structure, OfAGridIsTheSameOnAnyNumberOfRanks) {
  test::TwoFields system;
  const auto found = structure_of(system);
  EXPECT_EQ(found.text, "structure of 84 unknowns\n  structural rank 84 of 84\n  index 1 (of the matrix pencil), "
                        "structural index 1\n  u            declared differential; found differential\n"
                        "  v            declared index 1; found index 1\n");
}

/// u' = -u on a line, but for its first point, whose equation says nothing.
class OnALine final : public test::Pointwise {
public:
  OnALine()
      : Pointwise({{.name = "u"}}, {1}, {0},
                  [](double, Values y, Values ydot, std::span<double> f) { f[0] = ydot[0] + y[0]; }) {
    core::check_mpi(MPI_Comm_rank(PETSC_COMM_WORLD, &rank_));
  }
  void residual(double t, Vec y, Vec ydot, Vec residual) override {
    Pointwise::residual(t, y, ydot, residual);
    const core::Writable out(residual);
    if (rank_ == 0) out[0] = 0.0;
  }
  std::string location(PetscInt local) const override {
    return fmt::format("x = {:g}", 0.25 * (rank_ * static_cast<int>(points) + static_cast<int>(local)));
  }

private:
  int rank_ = 0;
};

TEST(Structure, NamesTheCoordinatesOfWhatIsSingular) {
  OnALine system;
  const auto found = structure_of(system);
  EXPECT_TRUE(found.singular);
  expect_words(found,
               {"the equations of field u (at x = 0) hold no variable", "nothing determines field u (at x = 0)"});
}

} // namespace
