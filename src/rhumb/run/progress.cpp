#include <rhumb/run/progress.hpp>

#include <rhumb/io/checkpoint.hpp>
#include <rhumb/run/console.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unistd.h>

namespace rhumb::run {

namespace {
constexpr std::chrono::milliseconds on_terminal{200};

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}
} // namespace

std::string duration_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (!(seconds < 3.6e7)) return "a year or more";
  const long whole = std::lround(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string progress_line(const ProgressFigures& f) {
  const std::string remaining = f.remaining < 0.0 ? "?" : duration_text(f.remaining);
  return fmt::format(
      "t {:.4g} ({:.1f} %)  step {}  h {:.2e}  order {}  Newton {:.1f}  Krylov {:.1f}  failed {}  elapsed {}  left {}",
      f.t, 100.0 * f.part, f.steps, f.h, f.order, f.newton_per_step, f.krylov_per_step, f.failures,
      duration_text(f.elapsed), remaining);
}

ProgressLine::ProgressLine(const Settings& settings, Clock::time_point started)
    : t_start_(settings.t_start), t_end_(settings.t_end), started_(started), first_(started), shown_(started),
      terminal_(isatty(STDOUT_FILENO) == 1) {
  const std::chrono::duration<double> wanted(std::min(settings.progress_dt, 1e8));
  interval_ = terminal_ ? Clock::duration(on_terminal) : std::chrono::duration_cast<Clock::duration>(wanted);
}

void ProgressLine::begin(const bdf::Integrator& integrator, const io::Restart* from) {
  if (from)
    for (const auto& remark : from->remarks) say(remark + "\n");
  t_first_ = integrator.time();
  first_ = shown_ = Clock::now();
}

void ProgressLine::step(const bdf::Integrator& integrator, const bdf::Progress& progress) {
  const auto now = Clock::now();
  if (now - shown_ < interval_) return;
  shown_ = now;
  const std::string line = progress_line(figures(integrator, progress.step));
  if (terminal_)
    fmt::print("\r\x1b[2K{}", line);
  else
    fmt::print("{}\n", line);
  line_open_ = terminal_;
  std::fflush(stdout);
}

void ProgressLine::end(const Ending&) {
  if (line_open_) say("\n");
  line_open_ = false;
}

ProgressFigures ProgressLine::figures(const bdf::Integrator& integrator, const bdf::StepReport& step) const {
  const bdf::Statistics statistics = integrator.statistics();
  const double steps = static_cast<double>(std::max(statistics.steps, 1L));
  ProgressFigures f;
  f.t = std::min(step.t, t_end_);
  f.part = (f.t - t_start_) / (t_end_ - t_start_);
  f.h = step.h;
  f.order = step.order;
  f.steps = statistics.steps;
  f.newton_per_step = static_cast<double>(statistics.newton_iterations) / steps;
  f.krylov_per_step = static_cast<double>(statistics.linear_iterations) / steps;
  f.failures = statistics.error_test_failures + statistics.convergence_failures + statistics.constraint_failures;
  f.elapsed = seconds(shown_ - started_);
  const double done = f.t - t_first_;
  if (done > 0.0) f.remaining = seconds(shown_ - first_) * (t_end_ - f.t) / done;
  return f;
}

} // namespace rhumb::run
