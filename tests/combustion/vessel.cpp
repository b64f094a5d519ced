/// The vessel's exact matrices against differences, its conservation laws and what a regridding keeps.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/physics/combustion/detailed_gas.hpp>
#include <rhumb/physics/combustion/one_step_gas.hpp>
#include <rhumb/physics/combustion/vessel.hpp>
#include <gtest/gtest.h>

namespace {

using namespace rhumb;
using namespace rhumb::combustion;
using core::check;

/// Numbers that look random and are the same everywhere: in -1 ... 1.
double jitter(PetscInt i) {
  return std::sin(12.9898 * static_cast<double>(i) + 78.233);
}

/// A state with profiles of everything, and rates.
template <class Gas>
void perturb(const Vessel<Gas>& vessel, Vec y, Vec ydot) {
  PetscInt first = 0;
  check(VecGetOwnershipRange(y, &first, nullptr));
  const core::Writable value(y), rate(ydot);
  const auto F = vessel.fields().size();
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::size_t field = i % F;
    const auto number = first + static_cast<PetscInt>(i);
    const bool fraction = field > 0 && field + 2 < F;
    if (field == 0) value[i] = 900.0 + 300.0 * jitter(number);
    if (fraction) value[i] = 0.5 * value[i] + 0.02 + 0.01 * jitter(number);
    if (field + 2 == F) value[i] *= 1.0 + 1e-4 * jitter(number);
    if (field + 1 == F) value[i] *= 1.0 + 1e-3 * jitter(number);
    rate[i] = jitter(number + 7) * (field == 0 ? 1e4 : field + 1 == F ? 1e6 : 10.0);
  }
}

/// The largest difference between J v by the exact matrix and by central differences, row by row, of the row's size.
template <class Gas>
double worst_product(Vessel<Gas>& vessel) {
  const double alpha = 1e5;
  core::VecHandle y = vessel.create_vector();
  core::VecHandle ydot = core::same_layout(y), v = core::same_layout(y), up = core::same_layout(y),
                  down = core::same_layout(y), moved = core::same_layout(y), moved_dot = core::same_layout(y),
                  exact = core::same_layout(y), size = core::same_layout(y);
  vessel.initial_values(0.0, y, ydot);
  perturb(vessel, y, ydot);
  PetscInt first = 0;
  check(VecGetOwnershipRange(y, &first, nullptr));
  {
    const core::Readable value(y);
    const core::Writable along(v);
    for (std::size_t i = 0; i < along.size(); ++i)
      along[i] = jitter(3 * (first + static_cast<PetscInt>(i))) * std::max(std::abs(value[i]), 1e-4);
  }
  const core::MatHandle matrix = vessel.create_matrix();
  vessel.jacobian(0.0, y, ydot, alpha, matrix);
  check(MatMult(matrix, v, exact));
  const double h = 1e-6;
  const auto shifted = [&](double by, Vec out) {
    check(VecWAXPY(moved, by, v, y));
    check(VecWAXPY(moved_dot, by * alpha, v, ydot));
    vessel.residual(0.0, moved, moved_dot, out);
  };
  shifted(h, up);
  shifted(-h, down);
  // The row's size: the sum of its entries' sizes, times those of v.
  check(MatGetRowMaxAbs(matrix, size, nullptr));
  const core::Readable a(up), b(down), e(exact), s(size), value(y);
  double worst = 0.0;
  for (std::size_t i = 0; i < e.size(); ++i)
    worst = std::max(worst, std::abs((a[i] - b[i]) / (2.0 * h) - e[i]) / std::max(std::abs(e[i]), 1e-3 * s[i]));
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  return worst;
}

TEST(Vessel, MatricesOfAnInertGasAreExact) {
  for (const char* shape : {"planar", "cylinder", "sphere"}) {
    const core::Options options({{"n", "20"}, {"geometry", shape}, {"conductivity_exponent", "0.7"}, {"energy", "2"}});
    Vessel<InertGas> vessel(PETSC_COMM_WORLD, options, InertGas(options), {});
    EXPECT_LT(worst_product(vessel), 1e-5) << shape;
  }
}

TEST(Vessel, MatricesOfAOneStepGasAreExact) {
  const core::Options options({{"n", "20"}, {"lewis", "0.7"}, {"conductivity_exponent", "0.7"}, {"frequency", "1e7"}});
  Vessel<OneStepGas> vessel(PETSC_COMM_WORLD, options, OneStepGas(options), {});
  EXPECT_LT(worst_product(vessel), 1e-5);
}

TEST(Vessel, MatricesOfADetailedGasAreExact) {
  const std::string folder = RHUMB_IGNITE_CASES;
  const core::Options options({{"n", "20"}, {"geometry", "sphere"}});
  Vessel<DetailedGas> hydrogen(PETSC_COMM_WORLD, options,
                               DetailedGas(options, folder + "/h2_air.yaml", "H2:2,O2:1,N2:3.76", "H2"), {});
  EXPECT_LT(worst_product(hydrogen), 1e-5);
  const core::Options with_soret({{"n", "20"}, {"geometry", "sphere"}, {"thermal_diffusion", "light"}});
  Vessel<DetailedGas> soret(PETSC_COMM_WORLD, with_soret,
                            DetailedGas(with_soret, folder + "/h2_air.yaml", "H2:2,O2:1,N2:3.76", "H2"), {});
  EXPECT_LT(worst_product(soret), 1e-5);
  const core::Options others(options);
  Vessel<DetailedGas> ozone(PETSC_COMM_WORLD, others, DetailedGas(others, folder + "/ozone.yaml", "O3:1,O2:1", "O3"),
                            {});
  EXPECT_LT(worst_product(ozone), 1e-5);
}

/// The rows of all species of a node sum to the rate of the sum of their fractions, whatever the state: nothing that
/// diffuses or reacts changes that sum.
TEST(Vessel, SpeciesRowsSumToTheRateOfTheSum) {
  const core::Options options({{"n", "20"}, {"geometry", "cylinder"}});
  Vessel<DetailedGas> vessel(
      PETSC_COMM_WORLD, options,
      DetailedGas(options, std::string(RHUMB_IGNITE_CASES) + "/h2_air.yaml", "H2:2,O2:1,N2:3.76", "H2"), {});
  core::VecHandle y = vessel.create_vector();
  const core::VecHandle ydot = core::same_layout(y), residual = core::same_layout(y);
  vessel.initial_values(0.0, y, ydot);
  perturb(vessel, y, ydot);
  vessel.residual(0.0, y, ydot, residual);
  const core::Readable rate(ydot), row(residual);
  const std::size_t F = vessel.fields().size();
  for (std::size_t node = 0; node < row.size(); node += F) {
    double rates = 0.0, rows = 0.0, size = 0.0;
    for (std::size_t k = 1; k + 2 < F; ++k) {
      rates += rate[node + k];
      rows += row[node + k];
      size += std::abs(row[node + k]);
    }
    EXPECT_NEAR(rows, rates, 1e-12 * size);
  }
}

/// Shows what a vessel keeps to itself.
template <class Gas>
class Open : public Vessel<Gas> {
public:
  using Vessel<Gas>::Vessel;
  using Vessel<Gas>::temperature_of_energy;

  /// Internal energy and the mass of each species, over the solid angle.
  std::vector<double> totals(Vec y) const {
    const auto all = this->line().gather(y);
    const std::size_t F = this->entries();
    std::vector<double> sums(this->species() + 1, 0.0);
    for (std::size_t i = 0; i * F < all.size(); ++i) {
      const auto Y = std::span(all).subspan(i * F + 1, this->species());
      const double m = this->mass(static_cast<PetscInt>(i));
      sums[0] += m * this->internal_energy(all[i * F], Y);
      for (std::size_t k = 0; k < Y.size(); ++k) sums[k + 1] += m * Y[k];
    }
    return sums;
  }
  std::vector<double> everything(Vec y) const { return this->line().gather(y); }
};

/// A flame half way, hot gas up to the wall and a steep fall of T there.
template <class Gas>
void ignite(const Open<Gas>& vessel, Vec y) {
  const core::Writable value(y);
  const auto F = vessel.fields().size();
  const double R = vessel.settings().radius;
  for (std::size_t node = 0; node < value.size(); node += F) {
    const double s = value[node + F - 2] / R, burnt = 0.5 * (1.0 - std::tanh((s - 0.5) / 0.02));
    value[node] = s < 1.0 ? 300.0 + 900.0 * (1.0 - std::pow(s, 8)) + 900.0 * burnt : vessel.settings().wall_T;
    if (F < 6) {
      value[node + 1] *= 1.0 - burnt;
      continue;
    }
    for (std::size_t k = 1; k + 2 < F; ++k) // some of each
      value[node + k] = (1.0 - 0.5 * burnt) * value[node + k] + 0.5 * burnt / static_cast<double>(F - 3);
  }
}

template <class Gas>
void expect_kept_by_a_regridding(Open<Gas>& vessel) {
  core::VecHandle y = vessel.create_vector();
  const core::VecHandle ydot = core::same_layout(y);
  vessel.initial_values(0.0, y, ydot);
  ignite(vessel, y);
  const auto before = vessel.totals(y), old = vessel.everything(y);
  const std::vector<int> regrid{1};
  EXPECT_EQ(vessel.on_event(1e-5, regrid, y, ydot), dae::AfterEvent::restart);
  const auto after = vessel.totals(y), now = vessel.everything(y);
  for (std::size_t k = 0; k < before.size(); ++k)
    EXPECT_NEAR(after[k], before[k], 1e-12 * std::abs(before[k])) << (k == 0 ? "energy" : vessel.fields()[k].name);
  const std::size_t F = vessel.fields().size(), wall = now.size() - F;
  double moved = 0.0;
  for (std::size_t node = 0; node <= wall; node += F) {
    moved = std::max(moved, std::abs(now[node + F - 2] - old[node + F - 2]));
    for (std::size_t k = 1; k + 2 < F; ++k) EXPECT_GE(now[node + k], -1e-16);
  }
  EXPECT_GT(moved, 0.05 * vessel.settings().radius);
  EXPECT_EQ(now[wall], vessel.settings().wall_T);
  EXPECT_EQ(now[wall + F - 2], vessel.settings().radius);
}

TEST(Vessel, ARegriddingKeepsEnergyAndTheMassOfEachSpecies) {
  const core::Options options({{"n", "60"}, {"geometry", "sphere"}, {"regrid_ratio", "3"}});
  Open<OneStepGas> onestep(PETSC_COMM_WORLD, options, OneStepGas(options), {});
  expect_kept_by_a_regridding(onestep);
  const core::Options others(options);
  const auto file = std::string(RHUMB_IGNITE_CASES) + "/h2_air.yaml";
  Open<DetailedGas> hydrogen(PETSC_COMM_WORLD, others, DetailedGas(others, file, "H2:2,O2:1,N2:3.76", "H2"), {});
  expect_kept_by_a_regridding(hydrogen);
}

TEST(Vessel, AnEnergyThatNoTemperatureHasIsRefused) {
  core::Options options;
  const Open<InertGas> vessel(PETSC_COMM_WORLD, options, InertGas(options), {});
  EXPECT_THROW(vessel.temperature_of_energy(-1e9, {}, 300.0), core::SolverGaveUp);
}

TEST(Transport, IsThatOfTheTables) {
  const auto gas = read_mechanism(std::string(RHUMB_IGNITE_CASES) + "/h2_air.yaml");
  const Transport transport(gas);
  const auto k = [&](const char* name) { return gas.find(name).value(); };
  EXPECT_LT(transport.largest_fit_error(), 0.02);
  // Measured: W/(m K) at 300 K and 1000 K; cm^2/s at 1 atm.
  EXPECT_NEAR(transport.conductivity_of(k("N2"), 300.0), 0.0259, 0.001);
  EXPECT_NEAR(transport.conductivity_of(k("N2"), 1000.0), 0.066, 0.004);
  EXPECT_NEAR(transport.conductivity_of(k("O2"), 300.0), 0.0265, 0.0015);
  EXPECT_NEAR(transport.conductivity_of(k("H2"), 300.0), 0.187, 0.01);
  EXPECT_NEAR(transport.conductivity_of(k("AR"), 300.0), 0.0177, 0.0005);
  const auto diffusion = [&](const char* a, const char* b, double T) {
    return 1e4 * transport.diffusion_of(k(a), k(b), T) / atmosphere;
  };
  EXPECT_NEAR(diffusion("H2", "N2", 298.0), 0.78, 0.04);
  EXPECT_NEAR(diffusion("O2", "N2", 298.0), 0.208, 0.01);
  EXPECT_NEAR(diffusion("H2O", "N2", 298.0), 0.25, 0.03);
  EXPECT_EQ(diffusion("H2", "N2", 500.0), diffusion("N2", "H2", 500.0));
}

TEST(Transport, OfAPureGasIsItsOwn) {
  const auto gas = read_mechanism(std::string(RHUMB_IGNITE_CASES) + "/ozone.yaml");
  const Transport transport(gas);
  std::vector<double> X{0.0, 1.0, 0.0}, D(3);
  EXPECT_NEAR(transport.conductivity<double>(700.0, X), transport.conductivity_of(1, 700.0), 1e-15);
  transport.diffusion<double>(700.0, X, X, D);
  EXPECT_NEAR(D[0] / transport.diffusion_of(0, 1, 700.0), 1.0, 1e-9);
  EXPECT_TRUE(std::isfinite(D[1]));
}

TEST(Shell, TheSourceIsWhollyInsideAVesselThatIsLarge) {
  for (const Shell shell : {Shell::planar, Shell::cylinder, Shell::sphere}) {
    EXPECT_NEAR(source_inside_face(shell, 9.0, 11.0, 1.0), 1.0, 1e-15);
    // Its slope is the bell times the area: (d/dr) of the part inside.
    const double r = 0.7, h = 1e-5;
    const double derivative =
        (source_inside_face(shell, r + h, r + h, 1.0) - source_inside_face(shell, r - h, r - h, 1.0)) / (2 * h);
    const double whole = std::pow(std::numbers::pi, 0.5 * (exponent(shell) + 1)) / (shell == Shell::planar ? 2.0 : 1.0);
    EXPECT_NEAR(derivative, solid_angle(shell) * std::pow(r, exponent(shell)) * std::exp(-r * r) / whole, 1e-8);
  }
}

} // namespace
