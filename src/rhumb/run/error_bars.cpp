#include <rhumb/run/error_bars.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/run/console.hpp>
#include <rhumb/run/execution.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::run {

namespace {
constexpr double tighter = 0.1;  ///< tolerances of the second run, over those of the first
constexpr double order = 2.0;    ///< in space, of the methods here, or nearly so
constexpr long fewest_cells = 4; ///< per direction; fewer tell nothing

/// What a run for the error bars must not take from the run itself.
constexpr std::array of_the_run{"out",           "out_dt",  "out_times",  "series_dt",
                                "checkpoint_dt", "restart", "error_bars", "restart_with_changes",
                                "wall_limit"};

const core::Declared* find_option(const std::vector<core::Declared>& options, const std::string& name) {
  const auto found = std::ranges::find(options, name, &core::Declared::name);
  return found == options.end() ? nullptr : &*found;
}

dae::Tolerances scaled(dae::Tolerances tolerances, double factor) {
  tolerances.rtol *= factor;
  tolerances.atol *= factor;
  for (double& atol : tolerances.atol_of_field) atol *= factor;
  return tolerances;
}

const double* number_of(const dae::Figures& figures, const std::string& name) {
  const auto found = std::ranges::find(figures, name, &dae::Figures::value_type::first);
  return found == figures.end() ? nullptr : std::get_if<double>(&found->second);
}
} // namespace

std::optional<OtherGrid> other_grid(const std::vector<core::Declared>& options) {
  const core::Declared* mesh = find_option(options, "mesh");
  if (const core::Declared* refine = find_option(options, "refine"); mesh && !mesh->value.empty() && refine) {
    const auto level = std::lround(core::parse_real(refine->value).value_or(0.0));
    return level > 0 ? OtherGrid{"refine", std::to_string(level - 1), 2.0} : OtherGrid{"refine", "1", 0.5};
  }
  const core::Declared* cells = find_option(options, "n");
  if (!cells || cells->value.empty()) return std::nullopt;
  std::vector<long> coarse;
  double widths = 0.0; // the mean of their logarithms
  for (const auto& text : core::split_at_commas(cells->value)) {
    const auto count = std::lround(core::parse_real(text).value_or(0.0));
    coarse.push_back((count + 1) / 2);
    if (coarse.back() < fewest_cells) return std::nullopt;
    widths += std::log(static_cast<double>(count) / static_cast<double>(coarse.back()));
  }
  const double ratio = std::exp(widths / static_cast<double>(coarse.size()));
  return OtherGrid{"n", fmt::format("{}", fmt::join(coarse, ",")), ratio};
}

double error_in_space(double figure, double on_other_grid, double ratio) {
  return std::abs(figure - on_other_grid) / std::abs(std::pow(ratio, order) - 1.0);
}

void keep_extrema_together(std::vector<ErrorBar>& bars) {
  const std::string lowest = "_min", highest = "_max";
  for (ErrorBar& low : bars) {
    if (!low.figure.ends_with(lowest) || !low.time) continue;
    const std::string field = low.figure.substr(0, low.figure.size() - lowest.size());
    const auto high = std::ranges::find(bars, field + highest, &ErrorBar::figure);
    if (high == bars.end() || !high->time) continue;
    const double least = least_of_other_extremum * std::max(*low.time, *high->time);
    low.time = std::max(*low.time, least);
    high->time = std::max(*high->time, least);
  }
}

ErrorBarRuns::ErrorBarRuns(MPI_Comm comm, Agreement& agreement, const Make& make, core::Options given, Caller caller)
    : comm_(comm), agreement_(agreement), make_(make), given_(std::move(given)), caller_(std::move(caller)) {
  for (const char* name : of_the_run) given_.erase(name);
}

std::vector<ErrorBar> ErrorBarRuns::find(const Prepared& run, const Solution& solution,
                                         std::vector<std::string>& remarks) {
  const dae::Tolerances tolerances = completed(run.settings, *run.problem).integrator->tolerances;
  const auto attempt = [&](const core::Options& options, const dae::Tolerances& used, const std::string& purpose) {
    try {
      return figures_of(options, used, purpose);
    } catch (const Ended& ended) {
      if (ended.code() == core::ExitCode::stopped) throw;
      remarks.push_back(fmt::format("no error bars in {}: {}", purpose, ended.what()));
      return dae::Figures{};
    }
  };
  const dae::Tolerances tight = scaled(tolerances, tighter);
  const auto in_time = attempt(given_.with("dae_rtol", tight.rtol), tight, "time");
  const auto grid = other_grid(run.settings.options.declared());
  dae::Figures in_space;
  if (grid)
    in_space = attempt(given_.with(grid->option, grid->value), tolerances, "space");
  else
    remarks.emplace_back("no error bars in space: the problem has no grid that could be coarser");

  std::vector<ErrorBar> bars;
  for (const auto& [name, figure] : solution.summary.results) {
    const auto* value = std::get_if<double>(&figure);
    if (!value) continue;
    ErrorBar bar{name, std::nullopt, std::nullopt};
    if (const auto* other = number_of(in_time, name)) bar.time = std::abs(*value - *other);
    if (const auto* other = number_of(in_space, name)) bar.space = error_in_space(*value, *other, grid->ratio);
    bars.push_back(std::move(bar));
  }
  keep_extrema_together(bars);
  return bars;
}

dae::Figures ErrorBarRuns::figures_of(core::Options options, const dae::Tolerances& tolerances,
                                      const std::string& purpose) {
  options.set("out", "none");
  options.set("quiet", "true");
  Caller caller = caller_;
  caller.started = Settings::Clock::now();
  Prepared prepared;
  agreement_.phase([&] { prepared = prepare(comm_, make_, options, caller); });
  prepared.settings.integrator->tolerances = tolerances;
  const Solution solution = integrate(*prepared.problem, prepared.settings);
  if (solution.done()) return solution.summary.results;
  throw Ended(solution.code(), solution.code() == core::ExitCode::stopped
                                   ? fmt::format("stopped in the run for error bars in {}", purpose)
                                   : solution.message());
}

} // namespace rhumb::run
