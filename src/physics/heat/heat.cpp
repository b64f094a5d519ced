#include "physics/heat/heat.hpp"

#include "core/check.hpp"
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace rhumb::heat {

std::unique_ptr<dae::Problem> make_heat(Case heat_case) {
  switch (Coefficients::variety(heat_case)) {
  case Coefficients::Variety::uniform:
    return std::make_unique<Heat<UniformCoefficients>>(std::move(heat_case));
  case Coefficients::Variety::tabled:
    return std::make_unique<Heat<TabledCoefficients<Slopes::none>>>(std::move(heat_case));
  default:
    return std::make_unique<Heat<TabledCoefficients<Slopes::of_T>>>(std::move(heat_case));
  }
}

std::unique_ptr<dae::Problem> make_heat(core::Options& options) {
  return make_heat(read_case(options));
}

/// Through sides held at a temperature flows what their points' balances lack: the sum of V times the natural residual.
template <class Policy>
double Heat<Policy>::dirichlet_power(double t, Vec y, Vec ydot) {
  const core::Readable own(y), rates(ydot);
  const auto& walls = parts_.coefficients.walls();
  double power = 0.0;
  this->sweep(t, y, own.begin(), grid::Need::values, [&]<int D>(const grid::Segment<D>& segment, const grid::Nodal& n) {
    if (walls.dirichlet_side(segment.sides) == 6) return;
    const auto kernel = on(segment);
    const grid::View<1, D> view(segment, n);
    for (PetscInt i = 0; i < segment.length; ++i) {
      const auto p = this->point(segment.first + i, t);
      const std::array<double, 1> rate{rates[static_cast<std::size_t>(p.index)]};
      power += parts_.coefficients.volume(p.index) *
               kernel.natural(grid::load(view, i, this->template inverse_spacings<D>()), rate, p);
    }
  });
  return power;
}

template <class Policy>
Powers Heat<Policy>::local_powers(double t, Vec y, Vec ydot) {
  const auto& coefficients = parts_.coefficients;
  const auto& walls = coefficients.walls();
  Powers now;
  now.dirichlet = dirichlet_power(t, y, ydot);
  now.turnover = std::abs(now.dirichlet);
  const core::Readable T(y);
  const auto count = [&now](double& account, double power) {
    account += power;
    now.turnover += std::abs(power);
  };
  if (coefficients.has_source())
    for (PetscInt own = 0; own < this->box().own_nodes(); ++own)
      count(now.source, coefficients.volume(own) * coefficients.source().row(0).value(own));
  for (std::size_t side = 0; side < 6; ++side)
    for (const PetscInt own : coefficients.wall_points(side))
      count(now.walls, coefficients.wall_area(own, side) * walls.flux(own, side, T[static_cast<std::size_t>(own)]));
  return now;
}

template <class Policy>
Powers Heat<Policy>::powers(double t, Vec y, Vec ydot) {
  std::array<double, 4> sums{};
  try {
    const auto now = local_powers(t, y, ydot);
    sums = {now.source, now.walls, now.dirichlet, now.turnover};
  } catch (const core::Recoverable&) {
    sums.fill(std::numeric_limits<double>::quiet_NaN());
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 4, MPI_DOUBLE, MPI_SUM, this->box().comm()));
  return {sums[0], sums[1], sums[2], sums[3]};
}

/// A step after which a coefficient is refused is left out of the account; the next one bridges it.
template <class Policy>
void Heat<Policy>::after_step(double t, Vec y, Vec ydot) {
  const auto now = powers(t, y, ydot);
  if (std::isfinite(now.net())) account_.add(t, now);
}

template <class Policy>
double Heat<Policy>::stored(Vec y) const {
  const core::Readable T(y);
  double sum = parts_.coefficients.heat_taken_up(T.span());
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, this->box().comm()));
  return sum;
}

template <class Policy>
dae::Figures Heat<Policy>::report(double t, Vec y, Vec /*ydot*/) {
  const double taken_up = stored(y);
  dae::Figures figures{{"energy_stored", taken_up},
                       {"energy_supplied", account_.supplied(t)},
                       {"energy_balance", account_.balance(t, taken_up)}};
  if (parts_.errors.known()) {
    parts_.errors.take(t, y);
    figures.emplace_back("error_max", parts_.errors.largest());
    figures.emplace_back("error_l2", parts_.errors.mean_square());
  }
  if (parts_.probes.size() > 0) figures.emplace_back("probes", parts_.probes.values(y));
  double hottest = 0.0, coldest = 0.0;
  core::check(VecMax(y, nullptr, &hottest));
  core::check(VecMin(y, nullptr, &coldest));
  figures.emplace_back("T_max", hottest);
  figures.emplace_back("T_min", coldest);
  return figures;
}

template <class Policy>
std::vector<std::pair<std::string, double>> Heat<Policy>::series(double t, Vec y, Vec /*ydot*/) {
  std::vector<std::pair<std::string, double>> numbers{{"energy_stored", stored(y)},
                                                      {"energy_supplied", account_.supplied(t)}};
  const auto probes = parts_.probes.values(y);
  for (std::size_t i = 0; i < probes.size(); ++i) numbers.emplace_back(fmt::format("probe_{}", i + 1), probes[i]);
  return numbers;
}

template <class Policy>
std::vector<double> Heat<Policy>::memory() const {
  auto numbers = account_.memory();
  const auto errors = parts_.errors.memory();
  numbers.insert(numbers.end(), errors.begin(), errors.end());
  return numbers;
}

template <class Policy>
void Heat<Policy>::set_memory(std::span<const double> numbers) {
  if (numbers.size() != memory().size()) throw core::BadInput("the checkpoint is not one of a heat problem");
  parts_.errors.set_memory(account_.set_memory(numbers));
}

template class Heat<UniformCoefficients>;
template class Heat<TabledCoefficients<Slopes::none>>;
template class Heat<TabledCoefficients<Slopes::of_T>>;

} // namespace rhumb::heat
