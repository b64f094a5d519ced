#include <rhumb/physics/combustion/reactor.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/physics/combustion/fresh_gas.hpp>
#include <rhumb/physics/combustion/kinetics.hpp>
#include <rhumb/physics/combustion/rate_parameters.hpp>
#include <array>
#include <fmt/format.h>
#include <limits>

namespace rhumb::combustion {

using core::check;
using core::check_mpi;
using core::Range;

namespace {
constexpr double rise_of_interest = 400.0; // K
constexpr double fraction_slack = 1e-13;   // below zero: less than any tolerance that makes sense
constexpr double atom_tolerance = 1e-9;    // of the products' elements against the mixture's

void reject_other_elements(const Mechanism& gas, std::span<const double> a, std::span<const double> b) {
  for (const auto& element : gas.elements) {
    double difference = 0.0, size = 0.0;
    for (std::size_t k = 0; k < gas.size(); ++k) {
      const double n = gas.atoms(element, k) / gas.species[k].weight;
      difference += n * (a[k] - b[k]);
      size += n * (a[k] + b[k]);
    }
    if (std::abs(difference) > atom_tolerance * size)
      throw core::BadInput(fmt::format("option -products: it has another share of {} than -mixture", element));
  }
}
} // namespace

Reactor::Reactor(MPI_Comm comm, const core::Options& options) : comm_(comm) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank));
  here_ = rank == 0;
  gas_ =
      read_mechanism(options.string("mechanism", "apps/ignite/h2_air.yaml", {"file with the species and reactions"}));
  Y0_ = read_fresh_gas(gas_, options, {.mixture = "H2:2,O2:1,N2:3.76", .fuel = "H2"});
  const auto products = options.string(
      "products", "",
      {"start from this mixture with the fresh one's enthalpy (-constant v: internal energy), to find equilibrium"});
  T0_ = options.real("T0", 1000.0, {"temperature at the start", "K"}, Range::positive());
  p0_ = options.real("p0", atmosphere, {"pressure at the start", "Pa"}, Range::positive());
  constant_ = options.choice("constant", "p", {"p", "v"}, {"what stays: pressure or volume"}) == "v"
                  ? Constant::volume
                  : Constant::pressure;
  stop_at_ignition_ =
      options.choice("stop_after", "none", {"none", "ignition"},
                     {"end the run at the steepest rise of T, once T has risen by 400 K"}) == "ignition";
  density_ = p0_ / (gas_constant * T0_ * moles_per_mass<double>(gas_, Y0_));
  if (!products.empty()) start_from(products);
  fields_.push_back({"T", "K", "temperature", dae::Kind::differential, dae::Sign::positive});
  for (const auto& s : gas_.species)
    fields_.push_back({"Y_" + s.name, "", "mass fraction of " + s.name, dae::Kind::differential, dae::Sign::nonnegative,
                       fraction_slack});
  fields_.push_back({"p", "Pa", "pressure", dae::Kind::index1});
  name_rate_parameters(gas_, parameters_);
}

/// What stays in complete burning: enthalpy and pressure, or internal energy and density.
void Reactor::start_from(const std::string& products) {
  const auto fresh = Y0_;
  Y0_ = read_mixture(gas_, products);
  reject_other_elements(gas_, Y0_, fresh);
  T0_ = constant_ == Constant::pressure
            ? temperature_of_enthalpy(gas_, mean_specific_enthalpy<double>(gas_, T0_, fresh), Y0_)
            : temperature_of_internal_energy(gas_, mean_specific_internal_energy(gas_, T0_, fresh), Y0_);
}

dae::Tolerances Reactor::default_tolerances() const {
  dae::Tolerances tolerances{.rtol = 1e-8, .atol = 1e-14};
  tolerances.atol_of_field.assign(unknowns(), -1.0);
  tolerances.atol_of_field.front() = 1e-6;
  tolerances.atol_of_field.back() = 1e-3;
  return tolerances;
}

core::VecHandle Reactor::create_vector() const {
  const auto size = static_cast<PetscInt>(unknowns());
  core::VecHandle y;
  check(VecCreateMPI(comm_, here_ ? size : 0, size, y.out()));
  return y;
}

template <class S>
S Reactor::pressure(const S& T, std::span<const S> Y) const {
  if (constant_ == Constant::pressure) return S(p0_);
  return density_ * gas_constant * T * moles_per_mass(gas_, Y);
}

template <class S>
void Reactor::rates(const S& T, std::span<const S> Y, std::span<S> out) const {
  if (!(value_of(T) > 0.0)) throw core::Recoverable("the temperature is not positive");
  const std::size_t K = gas_.size();
  const S moles = moles_per_mass(gas_, Y);
  const S density = constant_ == Constant::pressure ? S(p0_ / (gas_constant * T * moles)) : S(density_);
  std::vector<S> C(K), w(K);
  for (std::size_t k = 0; k < K; ++k) C[k] = density * Y[k] * (1.0 / gas_.species[k].weight);
  production<S>(gas_, T, C, w);
  S heat(0.0), capacity = mean_specific_heat(gas_, T, Y);
  if (constant_ == Constant::volume) capacity -= gas_constant * moles;
  for (std::size_t k = 0; k < K; ++k) {
    out[1 + k] = gas_.species[k].weight * w[k] / density;
    S energy = specific_enthalpy(gas_, k, T);
    if (constant_ == Constant::volume) energy -= (gas_constant / gas_.species[k].weight) * T;
    heat += energy * out[1 + k];
  }
  out[0] = -heat / capacity;
}

template <class S>
void Reactor::rows(std::span<const S> y, std::span<const S> ydot, std::span<S> out) const {
  const std::size_t K = gas_.size();
  const auto Y = y.subspan(1, K);
  rates(y[0], Y, out);
  for (std::size_t i = 0; i <= K; ++i) out[i] = ydot[i] - out[i];
  out[K + 1] = y[K + 1] - pressure(y[0], Y);
}

void Reactor::initial_values(double, Vec y, Vec ydot) {
  const core::Writable value(y), rate(ydot);
  if (!here_) return;
  value[0] = T0_;
  std::copy(Y0_.begin(), Y0_.end(), value.begin() + 1);
  value[unknowns() - 1] = pressure<double>(T0_, Y0_);
  rates<double>(T0_, Y0_, rate.span());
  rate[unknowns() - 1] = 0.0;
}

void Reactor::residual(double, Vec y, Vec ydot, Vec residual) {
  const core::Readable value(y), rate(ydot);
  const core::Writable out(residual);
  if (here_) rows<double>(value.span(), rate.span(), out.span());
}

void Reactor::jacobian(double, Vec y, Vec ydot, double alpha, Mat jacobian) {
  const core::Readable value(y), rate(ydot);
  const std::size_t n = unknowns();
  std::vector<PassDual> u(n), v(n), f(n);
  for (std::size_t first = 0; here_ && first < n; first += pass_width) {
    const std::size_t last = std::min(n, first + static_cast<std::size_t>(pass_width));
    for (std::size_t i = 0; i < n; ++i) {
      u[i] = value[i];
      v[i] = rate[i];
    }
    for (std::size_t i = first; i < last; ++i) {
      u[i] = PassDual::variable(value[i], static_cast<int>(i - first));
      v[i] = PassDual::variable(rate[i], static_cast<int>(i - first), alpha);
    }
    rows<PassDual>(u, v, f);
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t i = first; i < last; ++i)
        check(MatSetValue(jacobian, static_cast<PetscInt>(row), static_cast<PetscInt>(i), f[row].derivatives[i - first],
                          INSERT_VALUES));
  }
  check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
}

bool Reactor::parameter_derivative(double t, Vec y, Vec ydot, std::size_t index, Vec out) {
  return differentiate_by_rate(*this, t, y, ydot, index, out);
}

std::vector<dae::Event> Reactor::events() const {
  return {{"steepest", dae::Event::Direction::falling}, {"risen", dae::Event::Direction::rising}};
}

template <class Values>
void Reactor::share(Values& values) const {
  check_mpi(MPI_Bcast(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, 0, comm_));
}

void Reactor::event_values(double, Vec y, Vec ydot, std::span<double> values) {
  const core::Readable value(y), rate(ydot);
  std::fill(values.begin(), values.end(), 0.0);
  if (here_) {
    using Along = core::Dual<1>;
    std::vector<Along> u(unknowns()), change(unknowns());
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = Along::variable(value[i], 0, rate[i]);
    rates<Along>(u[0], std::span<const Along>(u).subspan(1, gas_.size()), change);
    values[0] = change[0].derivatives[0];
    values[1] = value[0] - T0_ - rise_of_interest;
  }
  share(values);
}

dae::AfterEvent Reactor::on_event(double t, std::span<const int> which, Vec y, Vec ydot) {
  const core::Readable value(y), rate(ydot);
  std::array<double, 2> derivative{here_ ? rate[0] : 0.0, here_ ? value[0] : 0.0};
  share(derivative);
  bool ignited = false;
  for (const int event : which) {
    if (event == 0 && derivative[0] > steepest_) {
      steepest_ = derivative[0];
      delay_ = t;
      ignited = derivative[1] - T0_ >= rise_of_interest;
    }
    if (event == 1 && reached_ < 0.0) reached_ = t;
  }
  return ignited && stop_at_ignition_ ? dae::AfterEvent::stop : dae::AfterEvent::go_on;
}

void Reactor::after_step(double, Vec y, Vec) {
  const core::Readable value(y);
  std::array<double, 1> T{here_ ? value[0] : 0.0};
  share(T);
  lowest_ = std::min(lowest_, T[0]);
  highest_ = std::max(highest_, T[0]);
}

dae::Figures Reactor::report(double t, Vec y, Vec) {
  const core::Readable value(y);
  std::vector<double> all(unknowns(), 0.0);
  std::copy(value.begin(), value.end(), all.begin());
  share(all);
  const std::span<const double> Y = std::span<const double>(all).subspan(1, gas_.size());
  dae::Figures figures;
  constexpr double none = std::numeric_limits<double>::quiet_NaN(); // null in run.json
  figures.emplace_back("ignition_delay", delay_ >= 0.0 ? delay_ : none);
  figures.emplace_back("ignition_delay_400K", reached_ >= 0.0 ? reached_ : none);
  figures.emplace_back("T", all.front());
  figures.emplace_back("p", all.back());
  const double moles = moles_per_mass(gas_, Y);
  double sum = 0.0;
  for (std::size_t k = 0; k < gas_.size(); ++k) {
    figures.emplace_back("X_" + gas_.species[k].name, Y[k] / (gas_.species[k].weight * moles));
    sum += Y[k];
  }
  figures.emplace_back("mass_fractions_error", std::abs(sum - 1.0));
  std::string remark = remark_on_range(gas_, lowest_, highest_);
  if (delay_ < 0.0)
    remark = fmt::format("no ignition until t = {:g} s (try a later -t_end or a higher -T0){}{}", t,
                         remark.empty() ? "" : "; ", remark);
  if (!remark.empty()) figures.emplace_back("remark", remark);
  return figures;
}

void Reactor::restore_state(std::span<const double> values) {
  if (values.size() != 5) throw core::BadInput("the checkpoint's memory is not that of a reactor");
  delay_ = values[0];
  steepest_ = values[1];
  reached_ = values[2];
  lowest_ = values[3];
  highest_ = values[4];
}

} // namespace rhumb::combustion
