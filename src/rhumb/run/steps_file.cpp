#include <rhumb/run/steps_file.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/io/checkpoint.hpp>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <span>

namespace rhumb::run {

namespace {
constexpr std::size_t most_waiting = 1U << 16U; // bytes
constexpr std::chrono::seconds longest_wait{1};

std::string text_of(const io::Path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
} // namespace

std::string steps_header() {
  return "t,h,order,error,newton,krylov,error_failures,convergence_failures\n";
}

std::string steps_line(const bdf::StepReport& step) {
  return fmt::format("{},{},{},{},{},{},{},{}\n", step.t, step.h, step.order, step.error, step.newton, step.krylov,
                     step.error_failures, step.convergence_failures);
}

std::string steps_kept(const std::string& text, long steps) {
  if (!text.starts_with(steps_header())) return steps_header();
  std::size_t end = steps_header().size();
  for (long line = 0; line < steps; ++line) {
    const std::size_t next = text.find('\n', end);
    if (next == std::string::npos) break;
    end = next + 1;
  }
  return text.substr(0, end);
}

StepsFile::StepsFile(MPI_Comm comm, const io::Path& run_folder) : comm_(comm), file_(run_folder / "steps.csv") {}

void StepsFile::begin(const bdf::Integrator&, const io::Restart* from) {
  core::run_on_root(comm_, [&] {
    const std::string kept = from ? steps_kept(text_of(file_), from->step) : steps_header();
    io::draft_text(file_, kept);
    io::rename_draft(file_);
    descriptor_.emplace(file_, io::Descriptor::Mode::write);
    written_ = kept.size();
  });
}

void StepsFile::step(const bdf::Integrator&, const bdf::StepOutcome& progress) {
  if (!descriptor_) return;
  waiting_ += steps_line(progress.step);
  if (waiting_.size() > most_waiting || Clock::now() - flushed_ > longest_wait) flush();
}

void StepsFile::save(NamedScalars&) {
  if (descriptor_) flush();
}

void StepsFile::end(const Ending&) {
  core::run_on_root(comm_, [&] {
    if (!descriptor_) return;
    flush();
    descriptor_->close();
    descriptor_.reset();
  });
}

void StepsFile::flush() {
  flushed_ = Clock::now();
  descriptor_->write_at(written_, std::as_bytes(std::span(waiting_)));
  written_ += waiting_.size();
  waiting_.clear();
}

} // namespace rhumb::run
