#include <rhumb/physics/heat/findings.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::heat {

void WorstErrors::take(MPI_Comm comm, const Share& share) {
  double largest = share.largest;
  std::array<double, 2> sums{share.squares, share.volume};
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm));
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, comm));
  largest_ = std::max(largest_, largest);
  l2_ = std::max(l2_, std::sqrt(sums[0] / sums[1]));
}

std::span<const double> WorstErrors::restore_state(std::span<const double> values) {
  largest_ = values[0];
  l2_ = values[1];
  return values.subspan(2);
}

void Findings::after_step(double t, const Powers& now) {
  if (std::isfinite(now.net())) account.add(t, now);
}

dae::Figures Findings::figures(double t, Vec y, double stored, Exact exact, const std::vector<double>& probes) const {
  dae::Figures out{{"energy_stored", stored},
                   {"energy_supplied", account.supplied(t)},
                   {"energy_balance", account.balance(t, stored)}};
  if (exact == Exact::known) {
    out.emplace_back("error_max", errors.largest());
    out.emplace_back("error_l2", errors.mean_square());
  }
  if (!probes.empty()) out.emplace_back("probes", probes);
  double hottest = 0.0, coldest = 0.0;
  core::check(VecMax(y, nullptr, &hottest));
  core::check(VecMin(y, nullptr, &coldest));
  out.emplace_back("T_max", hottest);
  out.emplace_back("T_min", coldest);
  return out;
}

std::vector<std::pair<std::string, double>> Findings::series(double t, double stored,
                                                             const std::vector<double>& probes) const {
  std::vector<std::pair<std::string, double>> out{{"energy_stored", stored}, {"energy_supplied", account.supplied(t)}};
  for (std::size_t i = 0; i < probes.size(); ++i) out.emplace_back(fmt::format("probe_{}", i + 1), probes[i]);
  return out;
}

std::vector<double> Findings::saved_state() const {
  auto values = account.saved_state();
  const auto more = errors.saved_state();
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

void Findings::restore_state(std::span<const double> values) {
  if (values.size() != saved_state().size()) throw core::BadInput("the checkpoint is not one of a heat problem");
  errors.restore_state(account.restore_state(values));
}

} // namespace rhumb::heat
