#include <rhumb/physics/combustion/vessel_problem.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/stored_count.hpp>
#include <rhumb/dae/block_tridiagonal.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace rhumb::combustion {

using core::check;

namespace {
// atol, as multiples of rtol.
constexpr double temperature_tolerance = 10.0; // K
constexpr double fraction_tolerance = 1e-5;
constexpr double fraction_slack = 1e-13;    // no mass fraction gets further below zero
constexpr double radius_tolerance = 1e-2;   // of R
constexpr double pressure_tolerance = 1e-1; // of p0

std::vector<dae::Field> all_fields(const std::vector<std::string>& species) {
  std::vector<dae::Field> all{{"T", "K", "temperature", dae::Kind::differential, dae::Sign::positive}};
  for (const auto& s : species)
    all.push_back({fmt::format("Y_{}", s), "", fmt::format("mass fraction of {}", s), dae::Kind::differential,
                   dae::Sign::nonnegative, fraction_slack});
  all.push_back({"r", "m", "radius"});
  all.push_back({"p", "Pa", "pressure", dae::Kind::differential, dae::Sign::positive});
  return all;
}
} // namespace

VesselProblem::VesselProblem(MPI_Comm comm, const core::Options& options, VesselDefaults defaults, GasInfo gas_info)
    : defaults_(std::move(defaults)), gas_info_(std::move(gas_info)),
      settings_(read_vessel_settings(options, defaults_)), fields_(all_fields(gas_info_.species)),
      line_(comm, settings_.cells + 1, static_cast<int>(fields_.size()), 1) {}

dae::Tolerances VesselProblem::tolerances(double rtol) const {
  dae::Tolerances tolerances{.rtol = rtol, .atol = fraction_tolerance * rtol};
  tolerances.atol_of_field.assign(fields_.size(), -1.0);
  tolerances.atol_of_field[0] = temperature_tolerance * rtol;
  tolerances.atol_of_field[index_of_r()] = radius_tolerance * rtol * settings_.radius;
  tolerances.atol_of_field[index_of_p()] = pressure_tolerance * rtol * settings_.p0;
  return tolerances;
}

core::MatHandle VesselProblem::create_matrix() const {
  return line_.create_matrix(std::vector<int>(entries(), 1));
}

void VesselProblem::configure(PC preconditioner, Mat matrix) const {
  int ranks = 1;
  core::check_mpi(MPI_Comm_size(line_.comm(), &ranks));
  if (ranks > 1)
    check(PCSetType(preconditioner, PCLU));
  else
    dae::factor_as_block_tridiagonal(preconditioner, matrix, line_.entries());
}

double VesselProblem::source_power() const {
  if (!source_on_) return 0.0;
  return settings_.source.energy / (settings_.source.duration * solid_angle(settings_.shell));
}

double VesselProblem::supplied(double t) const {
  return settings_.source.energy * std::clamp(t / settings_.source.duration, 0.0, 1.0);
}

void VesselProblem::initial_values(double t, Vec y, Vec ydot) {
  before_ = {};
  State start;
  start.r = first_radii();
  start.p = settings_.p0;
  start.T.assign(start.r.size(), settings_.T0);
  start.T.back() = settings_.wall_T;
  for (const double fraction : gas_info_.mixture) start.Y.emplace_back(start.r.size(), fraction);
  // The masses that the quadrature gives to these cells.
  psi_.assign(1, 0.0);
  for (std::size_t i = 1; i < start.r.size(); ++i) {
    const double v = 0.5 * (specific_volume(start.T[i - 1], fractions(start, i - 1), start.p) +
                            specific_volume(start.T[i], fractions(start, i), start.p));
    psi_.push_back(psi_.back() + (volume(settings_.shell, start.r[i]) - volume(settings_.shell, start.r[i - 1])) / v);
  }
  density_ = 1.0 / specific_volume(start.T[0], fractions(start, 0), start.p);
  energy_at_start_ = total_energy(t, start);
  element_totals_ = totals_of_elements(t, start);
  source_on_ = settings_.source.energy > 0.0;
  limit_ = settings_.adaptation.ratio;
  put(start, y, ydot);
}

std::vector<dae::Event> VesselProblem::events() const {
  using Direction = dae::Event::Direction;
  return {{"source_end", Direction::rising},
          {"regrid", Direction::rising},
          {"ignited", Direction::rising},
          {"died", Direction::falling}};
}

void VesselProblem::event_values(double t, Vec y, Vec, std::span<double> values) {
  const State now = state(y);
  const double hottest = *std::ranges::max_element(now.T);
  values[0] = source_on_ ? t - settings_.source.duration : 1.0;
  values[1] = settings_.adaptation.active() ? unevenness(now) / limit_ - 1.0 : -1.0;
  values[2] = flame_radius(now) - settings_.burnt_radius * settings_.radius;
  values[3] = hottest - settings_.flame_level;
}

dae::AfterEvent VesselProblem::on_event(double t, std::span<const int> which, Vec y, Vec ydot) {
  const auto happened = [&](int event) { return std::ranges::find(which, event) != which.end(); };
  const auto ends = [&] { return settings_.fate == Fate::stop; };
  if (happened(2) && seen_.ignited_at < 0.0) {
    seen_.ignited_at = t;
    if (ends()) return dae::AfterEvent::stop;
  }
  const bool was_on = source_on_;
  if (happened(0)) source_on_ = false;
  State now = state(y);
  const bool cold = *std::ranges::max_element(now.T) < settings_.flame_level;
  if (!source_on_ && seen_.died_at < 0.0 && (happened(3) || (happened(0) && cold))) {
    seen_.died_at = t;
    if (ends()) return dae::AfterEvent::stop;
  }
  if (!happened(0) && !happened(1)) return dae::AfterEvent::go_on;
  source_on_ = was_on; // the rate of loss up to here is that of the old equations
  loss_.add(t, wall_power(t, y, ydot));
  before_ = {t, psi_, loss_};
  loss_.cut();
  if (happened(0)) source_on_ = false;
  // With the source ends what drew nodes to it.
  if (happened(1) || settings_.adaptation.active()) {
    regrid(now, y, ydot);
  } else { // the dense output is not on the constraints to rounding
    equilibrate(now);
    put(now, y, ydot);
  }
  return dae::AfterEvent::restart;
}

void VesselProblem::after_step(double t, Vec y, Vec ydot) {
  loss_.add(t, wall_power(t, y, ydot));
  note_extremes(state(y));
}

void VesselProblem::note_extremes(const State& now) {
  const auto [low, high] = std::ranges::minmax_element(now.T);
  seen_.lowest_T = std::min(seen_.lowest_T, *low);
  seen_.highest_T = std::max(seen_.highest_T, *high);
  for (std::size_t i = 0; species() > 0 && i < now.T.size(); ++i) {
    double sum = 0.0;
    for (const auto& Y : now.Y) {
      sum += Y[i];
      seen_.lowest_fraction = std::min(seen_.lowest_fraction, Y[i]);
    }
    if (species() > 1) seen_.sum_error = std::max(seen_.sum_error, std::abs(sum - 1.0));
  }
}

/// The figures so far and the mesh, so that a continued run goes on as if it had not stopped.
std::vector<double> VesselProblem::saved_state() const {
  std::vector<double> saved{limit_,          source_on_ ? 1.0 : 0.0, density_,       energy_at_start_,
                            seen_.regrids,   seen_.ignited_at,       seen_.died_at,  seen_.lowest_T,
                            seen_.highest_T, seen_.lowest_fraction,  seen_.sum_error};
  for (const auto& list : {loss_.saved_state(), psi_, element_totals_})
    saved.insert(saved.end(), list.begin(), list.end());
  const auto& radii = settings_.figure_radii;
  saved.push_back(static_cast<double>(radii.size()));
  saved.insert(saved.end(), radii.begin(), radii.end());
  saved.push_back(static_cast<double>(seen_.times.size()));
  for (const auto* list :
       {&seen_.times, &seen_.p, &seen_.centre, &seen_.loss, &seen_.flame, &seen_.speed, &seen_.at_radii})
    saved.insert(saved.end(), list->begin(), list->end());
  return saved;
}

void VesselProblem::restore_state(std::span<const double> saved) {
  const auto nodes = static_cast<std::size_t>(settings_.cells) + 1;
  std::size_t at = 0;
  const auto take = [&](std::size_t count) {
    if (at + count > saved.size()) throw core::BadInput("the checkpoint's memory is not that of this vessel");
    at += count;
    return saved.subspan(at - count, count);
  };
  limit_ = take(1)[0];
  const auto head = take(10);
  source_on_ = head[0] != 0.0;
  density_ = head[1];
  energy_at_start_ = head[2];
  seen_.regrids = head[3];
  seen_.ignited_at = head[4];
  seen_.died_at = head[5];
  seen_.lowest_T = head[6];
  seen_.highest_T = head[7];
  seen_.lowest_fraction = head[8];
  seen_.sum_error = head[9];
  loss_.restore_state(take(core::StepIntegral::state_size));
  const auto list = [&](std::vector<double>& out, std::size_t count) {
    const auto values = take(count);
    out.assign(values.begin(), values.end());
  };
  list(psi_, nodes);
  list(element_totals_, gas_info_.elements.size());
  if (!std::ranges::equal(take(core::stored_count(take(1)[0], saved.size(), "the number of radii")),
                          settings_.figure_radii))
    throw core::BadInput("option -figure_radii: the checkpoint's lists are of other radii; a restart keeps them");
  const std::size_t count = core::stored_count(take(1)[0], saved.size(), "the number of figures");
  for (auto* each : {&seen_.times, &seen_.p, &seen_.centre, &seen_.loss, &seen_.flame, &seen_.speed})
    list(*each, count);
  list(seen_.at_radii, count * settings_.figure_radii.size());
  if (at != saved.size()) throw core::BadInput("the checkpoint's memory is more than that of this vessel");
}

std::string VesselProblem::signature() const {
  constexpr std::array names{"planar", "cylinder", "sphere"};
  return fmt::format("{} of {} cells, radius {:g} m, {} species", names[static_cast<std::size_t>(settings_.shell)],
                     settings_.cells, settings_.radius, species());
}

grid::Mesh VesselProblem::mesh(double, Vec y) {
  const core::Readable y_local(y);
  std::vector<double> r;
  for (std::size_t i = index_of_r(); i < y_local.size(); i += entries()) r.push_back(y_local[i]);
  grid::Mesh mesh;
  mesh.kind = grid::Mesh::Kind::moving;
  mesh.point_unit = std::string("m");
  mesh.points =
      grid::piece(static_cast<std::uint64_t>(line_.nodes()), static_cast<std::uint64_t>(line_.first()), std::move(r));
  return mesh;
}

std::vector<grid::FieldBlock> VesselProblem::fields(double, Vec y, Vec) {
  const core::Readable y_local(y);
  std::vector<grid::FieldBlock> blocks;
  for (std::size_t f = 0; f < entries(); ++f) {
    if (f == index_of_r()) continue; // the mesh
    std::vector<double> values;
    for (std::size_t i = f; i < y_local.size(); i += entries()) values.push_back(y_local[i]);
    blocks.push_back({fields_[f].name, fields_[f].unit, fields_[f].long_name, grid::Location::point, 1,
                      grid::piece(static_cast<std::uint64_t>(line_.nodes()), static_cast<std::uint64_t>(line_.first()),
                                  std::move(values))});
  }
  return blocks;
}

} // namespace rhumb::combustion
