#pragma once
/// steps.csv: one line a step. Rank 0 writes; lines reach the file every second and before every checkpoint. A
/// continued run keeps the lines up to its checkpoint and goes on below them.

#include <rhumb/io/atomic_file.hpp>
#include <rhumb/run/observer.hpp>
#include <chrono>

namespace rhumb::run {

class StepsFile : public Observer {
public:
  StepsFile(MPI_Comm comm, const io::Path& run_folder);

  void begin(const bdf::Integrator& integrator, const io::Restart* from) override;
  void step(const bdf::Integrator& integrator, const bdf::StepOutcome& progress) override;
  void save(NamedScalars& scalars) override;
  void end(const Ending& ending) override;

private:
  void flush();

  using Clock = std::chrono::steady_clock;
  MPI_Comm comm_;
  io::Path file_;
  std::optional<io::Descriptor> descriptor_; ///< on rank 0
  std::uint64_t written_ = 0;
  std::string waiting_;
  Clock::time_point flushed_{};
};

/// The header of steps.csv, and the line of a step.
std::string steps_header();
std::string steps_line(const bdf::StepReport& step);

/// The header and the first `steps` complete lines of an earlier steps.csv; the header alone when it is no such text.
std::string steps_kept(const std::string& text, long steps);

} // namespace rhumb::run
