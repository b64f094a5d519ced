#include <rhumb/run/fit.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/input_file.hpp>
#include <rhumb/io/ownership.hpp>
#include <rhumb/run/console.hpp>
#include <rhumb/run/execution.hpp>
#include <rhumb/run/summary.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::run {

using core::check;

namespace {
/// What the runs of a fit must not take from the user's run.
constexpr std::array of_the_user{"fit",           "vary",       "out",      "out_dt", "out_times",
                                 "checkpoint_dt", "restart",    "gradient", "with",   "error_bars",
                                 "sensitivity",   "wall_limit", "check"};

constexpr const char* state_name = "fit.txt";

/// Where a fit without a start value begins between two bounds of one sign.
double middle(const FitParameter& p) {
  if (std::isinf(p.lower) || std::isinf(p.upper)) return std::isinf(p.lower) ? p.upper : p.lower;
  return p.lower > 0.0 ? std::sqrt(p.lower * p.upper) : 0.5 * (p.lower + p.upper);
}

using Quantities = std::vector<std::pair<std::string, double>>;

/// Time series of the problem, and the variables of a small system.
Quantities quantities_of(dae::Problem& problem, double t, Vec y, Vec ydot) {
  Quantities out = problem.series(t, y, ydot);
  for (const auto& [name, values] : small_state(problem, y))
    if (values.size() == 1 && std::ranges::find(out, name, &Quantities::value_type::first) == out.end())
      out.emplace_back(name, values.front());
  return out;
}

/// Takes the quantities that were measured at the times of the measurements, and their derivatives.
class Measuring : public Observer {
public:
  Measuring(dae::Problem& problem, const FitData& data) : problem_(problem), data_(data), times_(data.times) {}

  void follow(bdf::Integrator& integrator) {
    integrator_ = &integrator;
    out_.derivatives.resize(integrator.sensitivities());
    for (auto* v : {&s_, &sdot_, &y_, &ydot_}) *v = integrator.new_vector();
  }
  std::optional<double> next_output() const override { return times_.next(); }
  void output(double t, Vec y, Vec ydot) override {
    const auto row = static_cast<std::size_t>(times_.number());
    times_.advance();
    take(row, quantities_of(problem_, t, y, ydot), out_.values);
    for (std::size_t column = 0; column < data_.series.size(); ++column) shift_by_data(row, column);
    for (std::size_t k = 0; k < out_.derivatives.size(); ++k) {
      integrator_->interpolate_sensitivity(k, t, s_, sdot_);
      std::array<Quantities, 2> sides;
      std::array<double, 2> shifts{};
      for (const bdf::Side side : bdf::both_sides)
        integrator_->beside(k, side, [&](double shift) {
          check(VecWAXPY(y_, shift, s_, y));
          check(VecWAXPY(ydot_, shift, sdot_, ydot));
          sides[static_cast<std::size_t>(side)] = quantities_of(problem_, t, y_, ydot_);
          shifts[static_cast<std::size_t>(side)] = shift;
        });
      for (std::size_t i = 0; i < sides[0].size(); ++i)
        sides[0][i].second = (sides[0][i].second - sides[1].at(i).second) / (shifts[0] - shifts[1]);
      take(row, sides[0], out_.derivatives[k]);
    }
  }
  Residuals residuals() && { return std::move(out_); }

private:
  bool measured(std::size_t row, std::size_t column) const { return !std::isnan(data_.series[column].values[row]); }
  double error(std::size_t row, std::size_t column) const {
    const auto& errors = data_.series[column].errors;
    return errors.empty() ? 1.0 : errors[row];
  }
  void take(std::size_t row, const Quantities& quantities, std::vector<double>& out) const {
    for (std::size_t column = 0; column < data_.series.size(); ++column) {
      if (!measured(row, column)) continue;
      const auto found = std::ranges::find(quantities, data_.series[column].name, &Quantities::value_type::first);
      if (found == quantities.end()) reject_name(data_.series[column].name, quantities);
      out.push_back(found->second / error(row, column));
    }
  }
  /// The last values taken become residuals.
  void shift_by_data(std::size_t row, std::size_t column) {
    if (!measured(row, column)) return;
    std::size_t behind = 0;
    for (std::size_t other = column; other < data_.series.size(); ++other) behind += measured(row, other) ? 1 : 0;
    out_.values[out_.values.size() - behind] -= data_.series[column].values[row] / error(row, column);
  }
  [[noreturn]] void reject_name(const std::string& name, const Quantities& quantities) const {
    std::vector<std::string> known;
    for (const auto& quantity : quantities) known.push_back(quantity.first);
    const std::string near = core::nearest(name, known);
    throw core::BadInput(fmt::format("option -fit: {} has no time series {}{}; it has {}", problem_.name(), name,
                                     near.empty() ? "" : "; nearest: " + near, fmt::join(known, ", ")));
  }

  dae::Problem& problem_;
  const FitData& data_;
  Schedule times_;
  bdf::Integrator* integrator_ = nullptr;
  core::VecHandle s_, sdot_, y_, ydot_;
  Residuals out_;
};
} // namespace

bool is_fit(const core::Options& given) {
  return !core::Options(given).string("fit", "", {""}).empty();
}

Fit::Fit(MPI_Comm comm, Agreement& agreement, const Make& make, core::Options given, Caller caller)
    : comm_(comm), agreement_(agreement), make_(make), given_(std::move(given)), caller_(std::move(caller)) {
  agreement_.phase([&] {
    const core::Options options(given_);
    const std::string file = options.string("fit", "", {""});
    data_ = FitData::parse(core::read_input_file(file, core::max_text_size, "a table of measurements"), file);
    parameters_ = FitParameter::parse(options.string("vary", "", {""}));
    if (data_.measurements() < parameters_.size())
      throw core::BadInput(fmt::format("option -fit: {} measurements do not determine {} parameters",
                                       data_.measurements(), parameters_.size()));
    for (const char* name : {"restart", "restart_with_changes"})
      if (options.given(name))
        throw core::BadInput(fmt::format("option -{}: the same command continues a fit without it", name));
    const Prepared run = prepare(comm_, make_, options, caller_);
    check_first(run);
    quiet_ = run.settings.quiet;
    only_check_ = run.only_check;
    if (!run.settings.out.empty() && !only_check_) claim_folder(run.settings.out, options);
  });
  for (const char* name : of_the_user) given_.erase(name);
}

/// Parameters are numbers among the options, and begin at their values.
void Fit::check_first(const Prepared& run) {
  if (data_.times.front() < run.settings.t_start)
    throw core::BadInput(fmt::format("option -fit: there are measurements at t = {:g}, before the start at t = {:g}",
                                     data_.times.front(), run.settings.t_start));
  std::vector<std::string> known;
  for (const auto& option : run.settings.problem_options)
    if (core::parse_real(option.value)) known.push_back(option.name);
  for (const auto& parameter : parameters_) {
    const auto same = std::ranges::find(run.settings.problem_options, parameter.name, &core::Declared::name);
    const auto value = same == run.settings.problem_options.end() ? std::nullopt : core::parse_real(same->value);
    if (!value) {
      const std::string near = core::nearest(parameter.name, known);
      throw core::BadInput(fmt::format("option -vary {}: a fit varies numbers among the options of {}{}",
                                       parameter.name, run.problem->name(), near.empty() ? "" : "; nearest: " + near));
    }
    const bool inside = *value >= parameter.lower && *value <= parameter.upper;
    start_.x.push_back(inside ? *value : middle(parameter));
  }
}

/// One fit at a time in a folder; what an interrupted one has left there must be of this one.
void Fit::claim_folder(const io::Path& folder, const core::Options& effective) {
  io::make_folder(comm_, folder);
  lock_.emplace(comm_, folder);
  file_ = folder / state_name;
  std::string left;
  core::run_on_root(comm_, [&] {
    io::reject_foreign_files(folder);
    identity_ = identity_of(effective, {}) + fmt::format("vary {}\n", core::Options(given_).string("vary", "", {""}));
    if (!std::filesystem::exists(file_)) return;
    left = core::read_input_file(file_.string(), core::max_text_size, "a fit's state");
    require_same(FitState::parse(left, file_.string()).options, identity_, folder.string(), "fit");
  });
  left = core::broadcast(comm_, left);
  if (left.empty()) return;
  const FitState state = FitState::parse(left, file_.string());
  if (state.at.x.size() != parameters_.size())
    throw core::BadInput(fmt::format("{} has {} parameters, not {}: remove it, or take another -out", file_.string(),
                                     state.at.x.size(), parameters_.size()));
  start_ = state.at;
  square_before_ = state.square;
  runs_ = state.runs;
}

void Fit::keep(const LeastSquaresState& at, double square) {
  if (file_.empty()) return;
  agreement_.phase([&] { io::write_text(comm_, file_, FitState{at, square, runs_, identity_}.text()); });
}

void Fit::forget(MPI_Comm comm, const io::Path& folder) {
  core::run_on_root(comm, [&] { std::filesystem::remove(folder / state_name); });
}

core::Options Fit::options_with(const std::vector<double>& values) const {
  core::Options out(given_);
  for (std::size_t i = 0; i < values.size(); ++i) set_varied(out, parameters_[i].name, fmt::format("{}", values[i]));
  return out;
}

Residuals Fit::run_with(const std::vector<double>& values) {
  core::Options options = options_with(values);
  std::vector<std::string> names;
  for (const auto& parameter : parameters_) names.push_back(parameter.name);
  options.set("sensitivity", fmt::format("{}", fmt::join(names, ",")));
  options.set("t_end", fmt::format("{}", data_.times.back()));
  options.set("out", "none");
  options.set("quiet", "true");
  Caller caller = caller_;
  caller.started = Settings::Clock::now();
  Prepared prepared;
  agreement_.phase([&] { prepared = prepare(comm_, make_, options, caller); });
  auto measuring = std::make_shared<Measuring>(*prepared.problem, data_);
  Execution execution(*prepared.problem, prepared.settings, {measuring});
  measuring->follow(execution.integrator());
  const Solution solution = execution.run();
  if (solution.done()) {
    Residuals out = std::move(*measuring).residuals();
    if (out.values.size() == data_.measurements() && std::isfinite(out.square())) return out;
    throw Ended(core::ExitCode::solver_gave_up, fmt::format("the run ended at t = {:g}, before the last measurement or "
                                                            "without values for all",
                                                            solution.t));
  }
  if (solution.code() == core::ExitCode::stopped)
    throw Ended(solution.code(), file_.empty() ? "the fit was stopped by a signal"
                                               : "stopped by a signal; the same command continues the fit");
  std::vector<std::string> where;
  for (std::size_t i = 0; i < values.size(); ++i) where.push_back(fmt::format("{} = {:g}", names[i], values[i]));
  throw Ended(solution.code(), fmt::format("in the fit, with {}: {}; bounds (-vary NAME=LOW:HIGH) keep it from there",
                                           fmt::join(where, ", "), solution.message()));
}

/// A run that fails where the first did not is one that the fit must keep away from. A fit that goes on repeats the best
/// of its runs, for the residuals.
std::optional<Residuals> Fit::try_with(const std::vector<double>& values) {
  const bool again = !begun_ && square_before_;
  std::string line = again ? fmt::format("fit: goes on after run {}:", runs_) : fmt::format("fit: run {}:", ++runs_);
  for (std::size_t i = 0; i < values.size(); ++i) line += fmt::format(" {} = {:.6g},", parameters_[i].name, values[i]);
  std::optional<Residuals> out;
  try {
    out = run_with(values);
    const double square = out->square();
    line += fmt::format(" sum of squares {:.6g}", square);
    if (again && square != *square_before_) // other ranks, another program
      line += fmt::format(", to all digits {}, and {} before it was interrupted", square, *square_before_);
  } catch (const Ended& ended) {
    if (!begun_ || (ended.code() != core::ExitCode::bad_input && ended.code() != core::ExitCode::solver_gave_up)) throw;
    line += " not possible";
  }
  begun_ = true;
  if (agreement_.rank() == 0 && !quiet_) print(line + "\n");
  return out;
}

FitResult Fit::find() {
  LeastSquaresProblem problem{start_,
                              {},
                              {},
                              [this](const std::vector<double>& values) { return try_with(values); },
                              [this](const LeastSquaresState& at, double square) { keep(at, square); }};
  for (const auto& parameter : parameters_) {
    problem.lower.push_back(parameter.lower);
    problem.upper.push_back(parameter.upper);
  }
  return judge(minimize(problem));
}

FitResult Fit::judge(const LeastSquaresSolution& solution) const {
  FitResult out;
  Covariance covariance = covariance_of(solution.residuals);
  out.chi_squared = solution.residuals.square();
  out.measurements = static_cast<long>(solution.residuals.values.size());
  out.iterations = solution.iterations;
  out.runs = runs_;
  out.converged = solution.converged;
  const auto freedom = static_cast<double>(solution.residuals.values.size() - parameters_.size());
  if (!data_.has_errors()) // the scatter says what the errors are
    for (auto& row : covariance.matrix)
      for (double& value : row) value *= freedom > 0.0 ? out.chi_squared / freedom : std::nan("");
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const FitParameter& p = parameters_[i];
    const double value = solution.x[i];
    out.parameters.push_back({p.name, value, std::sqrt(covariance.matrix[i][i]), value == p.lower || value == p.upper});
    if (out.parameters.back().at_bound)
      out.remarks.push_back(fmt::format("{} stands at its bound: its standard error means little", p.name));
  }
  for (const auto& together : covariance.unknown) {
    std::vector<std::string> names;
    for (const std::size_t i : together) names.push_back(parameters_[i].name);
    out.remarks.push_back(names.size() == 1
                              ? fmt::format("the data say nothing about {}", names.front())
                              : fmt::format("the data cannot tell {} apart: only a combination of them is determined",
                                            fmt::join(names, " and ")));
  }
  if (!out.converged) out.remarks.emplace_back("the fit has not converged");
  out.covariance = std::move(covariance.matrix);
  return out;
}

core::Options Fit::options_of(const FitResult& result, const core::Options& given) const {
  core::Options out(given);
  for (const auto& parameter : result.parameters) set_varied(out, parameter.name, fmt::format("{}", parameter.value));
  return out;
}

} // namespace rhumb::run
