#include <rhumb/physics/heat/heat.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/physics/heat/mesh_heat.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace rhumb::heat {

std::unique_ptr<dae::Problem> make_heat_of(MPI_Comm comm, Case heat_case) {
  switch (Coefficients::variety(heat_case)) {
  case Coefficients::Variety::uniform:
    return std::make_unique<Heat<UniformCoefficients>>(comm, std::move(heat_case));
  case Coefficients::Variety::tabled:
    return std::make_unique<Heat<TabledCoefficients<Derivatives::none>>>(comm, std::move(heat_case));
  default:
    return std::make_unique<Heat<TabledCoefficients<Derivatives::of_T>>>(comm, std::move(heat_case));
  }
}

bool has_equation(const core::Options& options) {
  constexpr std::array parts{"k", "rho", "c", "source", "initial", "materials", "exact", "exact_profile"};
  return std::ranges::any_of(options.declared(), [&](const core::Declared& option) {
    return option.given && (option.name.starts_with("bc_") || std::ranges::find(parts, option.name) != parts.end());
  });
}

std::unique_ptr<dae::Problem> make_heat(MPI_Comm comm, const core::Options& options) {
  const auto mesh = options.string("mesh", "", grid::about_mesh());
  auto problem = mesh.empty() ? make_heat_of(comm, read_case(options)) : make_mesh_heat(comm, options);
  if (!has_equation(options))
    problem->set_objection("there is nothing to solve: no -initial, no -source, nothing at the sides (-bc_type)");
  return problem;
}

/// Through sides held at a temperature flows what their points' balances lack: the sum of V times the natural residual.
template <class Policy>
double Heat<Policy>::dirichlet_power(double t, Vec y, Vec ydot) {
  const core::Readable owned(y), rates(ydot);
  const auto& walls = parts_.coefficients.walls();
  double power = 0.0;
  this->sweep(t, y, owned.begin(), core::Need::values,
              [&]<int D>(const grid::Segment<D>& segment, const box::Nodal& n) {
                if (walls.dirichlet_side(segment.sides) == 6) return;
                const auto kernel = on(segment);
                const box::View<1, D> view(segment, n);
                for (PetscInt i = 0; i < segment.length; ++i) {
                  const auto p = this->point(segment.first + i, t);
                  const std::array<double, 1> rate{rates[p.index]};
                  power += parts_.coefficients.volume(p.index) *
                           kernel.natural(box::load(view, i, this->template inverse_spacings<D>()), rate, p);
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
  if (coefficients.has_source()) {
    const auto source = coefficients.source().row(0);
    coefficients.each_volume([&](PetscInt owned, double volume) { count(now.source, volume * source.value(owned)); });
  }
  for (std::size_t side = 0; side < 6; ++side)
    for (const PetscInt owned : coefficients.wall_points(side))
      count(now.walls, coefficients.wall_area(owned, side) * walls.flux(owned, side, T[owned]));
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

template <class Policy>
double Heat<Policy>::stored(Vec y) const {
  const core::Readable T(y);
  double sum = parts_.coefficients.heat_taken_up(T.span());
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, this->box().comm()));
  return sum;
}

template <class Policy>
void Heat<Policy>::take_errors(double t, Vec y) {
  if (parts_.errors.known()) findings_.errors.take(this->box().comm(), parts_.errors.share(t, y));
}

template <class Policy>
dae::Figures Heat<Policy>::report(double t, Vec y, Vec /*ydot*/) {
  take_errors(t, y);
  return findings_.figures(t, y, stored(y), parts_.errors.known() ? Findings::Exact::known : Findings::Exact::unknown,
                           parts_.probes.values(y));
}

template <class Policy>
std::vector<std::pair<std::string, double>> Heat<Policy>::series(double t, Vec y, Vec /*ydot*/) {
  return findings_.series(t, stored(y), parts_.probes.values(y));
}

template class Heat<UniformCoefficients>;
template class Heat<TabledCoefficients<Derivatives::none>>;
template class Heat<TabledCoefficients<Derivatives::of_T>>;

} // namespace rhumb::heat
