#include <rhumb/run/progress.hpp>

#include <rhumb/io/checkpoint.hpp>
#include <rhumb/run/console.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
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

std::string progress_line(const ProgressFigures& f, int columns) {
  struct ProgressPart {
    std::string text;
    int rank; ///< the largest is left out first
  };
  const std::array parts{
      ProgressPart{fmt::format("t {:.4g} ({:.1f} %)", f.t, 100.0 * f.part), 0},
      ProgressPart{fmt::format("  step {}", f.steps), 2},
      ProgressPart{fmt::format("  h {:.2e}", f.h), 3},
      ProgressPart{fmt::format("  order {}", f.order), 5},
      ProgressPart{fmt::format("  Newton {:.1f}", f.newton_per_step), 7},
      ProgressPart{fmt::format("  Krylov {:.1f}", f.krylov_per_step), 8},
      ProgressPart{fmt::format("  failed {}", f.failures), 6},
      ProgressPart{fmt::format("  elapsed {}", duration_text(f.elapsed)), 4},
      ProgressPart{fmt::format("  left {}", f.remaining < 0.0 ? "?" : duration_text(f.remaining)), 1}};
  const auto width = static_cast<std::size_t>(std::max(columns, 0));
  std::string line;
  for (int last = static_cast<int>(parts.size()) - 1; last >= 0; --last) {
    line.clear();
    for (const auto& part : parts)
      if (part.rank <= last) line += part.text;
    if (line.size() <= width) return line;
  }
  return line.substr(0, width);
}

namespace {
int columns_of(int file) {
  winsize size{};
  return isatty(file) == 1 && ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
} // namespace

int terminal_columns() {
  constexpr int usual = 80;
  if (isatty(STDOUT_FILENO) != 1) return 0;
  if (const int columns = columns_of(STDOUT_FILENO); columns > 0) return columns;
  const std::string of_parent = fmt::format("/proc/{}/fd/1", getppid());
  const int file = open(of_parent.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::getenv("OMPI_COMM_WORLD_SIZE") ? 0 : usual;
  const bool terminal = isatty(file) == 1;
  const int columns = columns_of(file);
  close(file);
  return !terminal ? 0 : columns > 0 ? columns : usual;
}

ProgressLine::ProgressLine(const Settings& settings, Clock::time_point started)
    : t_start_(settings.t_start), t_end_(settings.t_end), started_(started), first_(started), shown_(started),
      terminal_(terminal_columns() > 0) {
  const std::chrono::duration<double> wanted(std::min(settings.progress_dt, 1e8));
  interval_ = terminal_ ? Clock::duration(on_terminal) : std::chrono::duration_cast<Clock::duration>(wanted);
}

void ProgressLine::begin(const bdf::Integrator& integrator, const io::Restart* from) {
  if (from)
    for (const auto& remark : from->remarks) print(remark + "\n");
  t_first_ = integrator.time();
  first_ = shown_ = Clock::now();
}

void ProgressLine::step(const bdf::Integrator& integrator, const bdf::StepOutcome& progress) {
  const auto now = Clock::now();
  if (now - shown_ < interval_) return;
  shown_ = now;
  const auto now_at = figures(integrator, progress.step);
  if (terminal_) // one column stays free: some terminals wrap when the last is filled
    fmt::print("\r\x1b[2K{}", progress_line(now_at, terminal_columns() - 1));
  else
    fmt::print("{}\n", progress_line(now_at));
  line_open_ = terminal_;
  std::fflush(stdout);
}

void ProgressLine::end(const Ending&) {
  if (line_open_) print("\n");
  line_open_ = false;
}

ProgressFigures ProgressLine::figures(const bdf::Integrator& integrator, const bdf::StepReport& step) const {
  const bdf::Statistics statistics = integrator.statistics();
  const double steps = static_cast<double>(std::max(statistics.steps, 1L));
  ProgressFigures f;
  f.t = core::Sense::of(t_start_, t_end_).earlier(step.t, t_end_);
  f.part = (f.t - t_start_) / (t_end_ - t_start_);
  f.h = step.h;
  f.order = step.order;
  f.steps = statistics.steps;
  f.newton_per_step = static_cast<double>(statistics.newton_iterations) / steps;
  f.krylov_per_step = static_cast<double>(statistics.linear_iterations) / steps;
  f.failures = statistics.error_test_failures + statistics.convergence_failures + statistics.constraint_failures;
  f.elapsed = seconds(shown_ - started_);
  const double done = f.t - t_first_;
  if (done != 0.0) f.remaining = seconds(shown_ - first_) * (t_end_ - f.t) / done;
  return f;
}

} // namespace rhumb::run
