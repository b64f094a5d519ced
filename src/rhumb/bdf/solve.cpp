#include <rhumb/bdf/solve.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/core/sense.hpp>
#include <rhumb/core/session.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb {

namespace {
using core::check;

/// The functions as a system on this process.
class FunctionSystem final : public dae::System {
public:
  FunctionSystem(SmallSystem system, double t0) : system_(std::move(system)), t0_(t0) {
    complete_rate();
    check_sizes();
    name_fields();
    matrix_.resize(system_.jacobian ? size() * size() : 0);
    for (const auto& p : system_.parameters)
      parameters_.add({.name = p.name, .value = p.value, .lower = p.lower, .upper = p.upper}, p.value.get());
  }

  std::vector<dae::Field> fields() const override { return fields_; }
  int field_of(PetscInt local) const override { return static_cast<int>(local); }
  dae::Kind variable_kind(PetscInt local) const override { return fields_[local].kind; }
  dae::Offers offers() const override { return {.jacobian = static_cast<bool>(system_.jacobian)}; }

  core::VecHandle create_vector() const override {
    core::VecHandle y;
    check(VecCreateSeq(PETSC_COMM_SELF, static_cast<PetscInt>(size()), y.out()));
    return y;
  }
  void initial_values(double, Vec y, Vec ydot) override {
    const core::Writable value(y), rate(ydot);
    std::ranges::copy(system_.y, value.begin());
    std::fill(rate.begin(), rate.end(), 0.0);
    std::ranges::copy(system_.ydot, rate.begin());
    if (system_.initial_values) system_.initial_values(value.span(), rate.span());
  }
  void residual(double t, Vec y, Vec ydot, Vec residual) override {
    const core::Readable value(y), rate(ydot);
    const core::Writable f(residual);
    system_.residual(t, value.span(), rate.span(), f.span());
  }
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;

  std::vector<dae::Event> events() const override {
    std::vector<dae::Event> out;
    for (const auto& event : system_.events) out.push_back({event.name, event.direction});
    return out;
  }
  void event_values(double t, Vec y, Vec ydot, std::span<double> values) override {
    const core::Readable value(y), rate(ydot);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = system_.events[i].value(t, value.span(), rate.span());
  }
  dae::AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot) override {
    const core::Writable value(y), rate(ydot);
    auto after = dae::AfterEvent::go_on;
    for (const int i : which) {
      const auto& action = system_.events[i].action;
      if (action) after = std::max(after, action(t, value.span(), rate.span()));
    }
    return after;
  }

private:
  std::size_t size() const { return system_.y.size(); }
  void complete_rate();
  void check_sizes() const;
  void name_fields();
  bool has_derivative(std::size_t variable) const;

  SmallSystem system_;
  double t0_;
  std::vector<dae::Field> fields_;
  std::vector<double> matrix_; ///< buffer of `jacobian`
};

/// y' = f(t, y) as F = y' - f.
void FunctionSystem::complete_rate() {
  if (static_cast<bool>(system_.residual) == static_cast<bool>(system_.rate))
    throw core::BadInput("a small system needs either its residual or its rate");
  if (!system_.rate) return;
  system_.residual = [rate = system_.rate](double t, auto y, auto ydot, auto f) {
    rate(t, y, f);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = ydot[i] - f[i];
  };
  if (system_.kinds.empty()) system_.kinds.assign(size(), dae::Kind::differential);
}

void FunctionSystem::check_sizes() const {
  if (size() == 0) throw core::BadInput("a small system needs its start values y");
  const auto expect = [&](std::size_t given, const char* what) {
    if (given != 0 && given != size())
      throw core::BadInput(fmt::format("a small system of {} variables has {} {}", size(), given, what));
  };
  expect(system_.ydot.size(), "rates (ydot)");
  expect(system_.names.size(), "names");
  expect(system_.kinds.size(), "kinds");
  expect(system_.signs.size(), "signs");
  for (const auto& event : system_.events)
    if (!event.value) throw core::BadInput(fmt::format("the event '{}' has no value function", event.name));
}

void FunctionSystem::name_fields() {
  for (std::size_t i = 0; i < size(); ++i) {
    dae::Field field{.name = system_.names.empty() ? fmt::format("y{}", i) : system_.names[i]};
    if (!system_.kinds.empty())
      field.kind = system_.kinds[i];
    else if (!has_derivative(i))
      field.kind = dae::Kind::index1;
    if (!system_.signs.empty()) field.sign = system_.signs[i];
    fields_.push_back(std::move(field));
  }
}

/// Whether F depends on y'_i: it is evaluated with two rates at two states, so that no product vanishes by chance.
bool FunctionSystem::has_derivative(std::size_t variable) const {
  std::vector<double> rate(size(), 0.0), f(size(), 0.0), moved(size(), 0.0), y = system_.y;
  std::ranges::copy(system_.ydot, rate.begin());
  for (const double shift : {0.0, 1e-4}) {
    for (double& value : y) value += shift * (1.0 + std::abs(value));
    auto other = rate;
    other[variable] += 1.0 + std::abs(other[variable]);
    system_.residual(t0_, y, rate, f);
    system_.residual(t0_, y, other, moved);
    if (f != moved) return true;
  }
  return false;
}

void FunctionSystem::jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) {
  const core::Readable value(y), rate(ydot);
  std::ranges::fill(matrix_, 0.0);
  system_.jacobian(t, value.span(), rate.span(), alpha, matrix_);
  std::vector<PetscInt> indices(size());
  for (std::size_t i = 0; i < size(); ++i) indices[i] = static_cast<PetscInt>(i);
  const auto n = static_cast<PetscInt>(size());
  check(MatSetValues(jacobian, n, indices.data(), n, indices.data(), matrix_.data(), INSERT_VALUES));
  check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
}

/// Throws core::BadInput with the nearest name.
std::size_t find_parameter(const std::string& name, const std::vector<std::string>& known) {
  const auto found = std::ranges::find(known, name);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  const std::string near = core::nearest(name, known);
  throw core::BadInput(fmt::format("sensitivities: there is no parameter '{}'{}", name,
                                   near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
}

bdf::Sensitivities sensitivities_of(const SolveSettings& settings, const dae::System& system) {
  bdf::Sensitivities out;
  std::vector<std::string> known;
  for (const auto& parameter : system.parameters()) known.push_back(parameter.name);
  for (const auto& name : settings.sensitivities) out.parameters.push_back({find_parameter(name, known)});
  out.in_error_test = settings.sensitivity_errors;
  return out;
}

bdf::IntegratorOptions options_of(const SolveSettings& settings, const dae::System& system) {
  bdf::IntegratorOptions out;
  out.tolerances.rtol = settings.rtol;
  out.tolerances.atol = settings.atol;
  out.tolerances.atol_of_field = settings.atols;
  out.tolerances.norm = settings.norm;
  out.max_order = settings.max_order;
  out.h0 = settings.h0;
  out.h_max = settings.h_max;
  out.max_steps = settings.max_steps;
  out.error_test = settings.error_test;
  out.start = settings.start;
  out.resumable = false;
  out.sensitivities = sensitivities_of(settings, system);
  return out;
}
} // namespace

namespace {
void note_events(const bdf::StepOutcome& progress, SmallSolution& solution) {
  for (const auto& event : progress.events)
    for (const auto& name : event.names) solution.events.push_back({event.t, name});
}

void run_to(double t_end, core::Sense sense, bdf::Integrator& integrator, SmallSolution& solution) {
  solution.trajectory.begin(integrator);
  for (auto& [name, trajectory] : solution.sensitivities) trajectory.begin(integrator);
  while (sense.before(integrator.time(), t_end) || integrator.pending_event()) {
    const bdf::StepOutcome progress = integrator.step();
    solution.trajectory.add(integrator, progress);
    for (auto& [name, trajectory] : solution.sensitivities) trajectory.add(integrator, progress);
    note_events(progress, solution);
    if (!progress.stopped) continue;
    solution.reason = "stopped_by_event";
    break;
  }
}
} // namespace

std::vector<double> SmallSolution::sensitivity(const std::string& parameter, double time) const {
  std::vector<std::string> known;
  for (const auto& each : sensitivities) known.push_back(each.first);
  return sensitivities[find_parameter(parameter, known)].second.at(time);
}

SmallSolution solve(SmallSystem system, std::pair<double, double> interval, const SolveSettings& settings) {
  core::start_petsc();
  if (!settings.atols.empty() && settings.atols.size() != system.y.size())
    throw core::BadInput(fmt::format("{} variables have {} atols", system.y.size(), settings.atols.size()));
  FunctionSystem equations(std::move(system), interval.first);
  const core::Options none;
  const core::PetscOptionsScope scope(none); // the options of the program around are not ours
  bdf::Integrator integrator(equations, options_of(settings, equations));
  const core::Sense sense = core::Sense::of(interval.first, interval.second);
  SmallSolution solution;
  for (const auto& name : settings.sensitivities)
    solution.sensitivities.emplace_back(name, bdf::Trajectory(solution.sensitivities.size()));
  try {
    integrator.stop_at(interval.second); // the functions are asked for nothing beyond
    integrator.start(interval.first, interval.second);
    run_to(interval.second, sense, integrator, solution);
  } catch (const core::SolverGaveUp& failure) {
    solution.reason = "solver_gave_up";
    solution.message = failure.what();
  } catch (const core::BadInput& failure) {
    solution.reason = "bad_input";
    solution.message = failure.what();
  }
  solution.statistics = integrator.statistics();
  solution.t = sense.earlier(integrator.time(), interval.second);
  return solution;
}

} // namespace rhumb
