#pragma once
/// How far a run is and when it will end: on a terminal one line that is written over and never wraps, in a file a plain
/// line at intervals. Rank 0 only.

#include <rhumb/run/observer.hpp>
#include <rhumb/run/settings.hpp>
#include <chrono>
#include <cstdint>

namespace rhumb::run {

/// What a line of progress says.
struct ProgressFigures {
  double t = 0.0;
  double part = 0.0; ///< of the time interval, 0 ... 1
  double h = 0.0;
  int order = 0;
  long steps = 0;
  double newton_per_step = 0.0;
  double krylov_per_step = 0.0;
  long failures = 0;
  double elapsed = 0.0;    ///< s
  double remaining = -1.0; ///< s; negative: not known yet
};

/// At most `columns` characters: parts that matter less are left out, last of all the time.
std::string progress_line(const ProgressFigures& figures, int columns = 1000);

/// The width of the terminal that standard output goes to; 0 where it goes to a file or a pipe. Under mpirun standard
/// output is always a terminal, one without a width: then that of mpirun itself counts.
int terminal_columns();

/// "1:02:03", "2:03", "4.5 s"
std::string duration_text(double seconds);

class ProgressLine : public Observer {
public:
  using Clock = std::chrono::steady_clock;
  ProgressLine(const Settings& settings, Clock::time_point started);

  void begin(const bdf::Integrator& integrator, const io::Restart* from) override;
  void step(const bdf::Integrator& integrator, const bdf::StepOutcome& progress) override;
  void end(const Ending& ending) override;

private:
  ProgressFigures figures(const bdf::Integrator& integrator, const bdf::StepReport& step) const;

  double t_start_, t_end_;
  double t_first_ = 0.0; ///< where this process began, after a restart later than t_start
  Clock::time_point started_, first_, shown_;
  Clock::duration interval_;
  bool terminal_;
  bool line_open_ = false;
};

} // namespace rhumb::run
