#include "io/snapshot.hpp"

#include "core/agreement.hpp"
#include "io/mould.hpp"
#include "io/placing.hpp"
#include "io/snapshot_contents.hpp"
#include <algorithm>

namespace rhumb::io {

namespace {

/// Number of a snapshot by its file's name, or -1.
long number_of(const Path& file) {
  const std::string stem = file.stem().string();
  const bool is_number =
      !stem.empty() && stem.size() < 18 && std::ranges::all_of(stem, [](char c) { return c >= '0' && c <= '9'; });
  return is_number && file.extension() == ".h5" ? std::stol(stem) : -1;
}

/// Removes drafts and the snapshots from `first` on; returns the entries of those before, in order.
std::vector<SnapshotEntry> take_over(const Path& folder, long first) {
  std::vector<SnapshotEntry> entries;
  std::vector<Path> files;
  for (const auto& item : std::filesystem::directory_iterator(folder)) files.push_back(item.path());
  for (const Path& file : files) {
    const long number = number_of(file);
    if (file.extension() == ".tmp" || number >= first) {
      std::filesystem::remove(file);
    } else if (number >= 0) {
      entries.push_back(describe_snapshot(file));
    }
  }
  std::ranges::sort(entries, {}, &SnapshotEntry::number);
  return entries;
}

Group root_attributes(const About& about, const dae::Problem& problem, const Moment& moment) {
  return {"/",
          {{"time", moment.t},
           {"step", static_cast<std::int64_t>(moment.step)},
           {"number", static_cast<std::int64_t>(moment.number)},
           {"app", about.app},
           {"problem", problem.name()},
           {"version", about.version}}};
}

} // namespace

SnapshotWriter::SnapshotWriter(MPI_Comm comm, Path run_folder, About about, long first)
    : comm_(comm), folder_(std::move(run_folder)), about_(std::move(about)), next_(first),
      points_(std::make_unique<PointsHolder>()), mould_(std::make_unique<Mould>()),
      placing_(std::make_unique<Placing>()), flush_(flush_of_drafts(comm)) {
  make_folder(comm_, folder_ / "snapshots");
  core::on_first(comm_, [&] { entries_ = take_over(folder_ / "snapshots", first); });
}

SnapshotWriter::~SnapshotWriter() = default;
SnapshotWriter::SnapshotWriter(SnapshotWriter&&) noexcept = default;

void SnapshotWriter::write(dae::Problem& problem, double t, long step, Vec y, Vec ydot) {
  const Moment moment{next_, t, step, y, ydot};
  Contents contents = snapshot_contents(comm_, problem, moment, *points_);
  contents.groups.insert(contents.groups.begin(), root_attributes(about_, problem, moment));
  Group options{"/options", {}};
  for (const auto& [name, value] : about_.options) options.attributes.push_back({name, value});
  contents.groups.push_back(std::move(options));

  const Path file = folder_ / "snapshots" / snapshot_name(next_);
  write_draft(comm_, file, contents, flush_, *mould_);
  ++next_;
  core::on_first(comm_, [&] {
    entries_.push_back(describe_snapshot(contents));
    placing_->hand_over(file);
    index_is_current_ = false;
    // The whole index after each of many snapshots would cost more than the snapshots: a hundredth of the time is
    // enough.
    if (Clock::now() - index_written_ >= 100 * index_cost_) write_index();
  });
}

/// The drafts of the index have one name each: the last ones must be in their places before new ones are begun.
void SnapshotWriter::write_index() {
  const auto start = Clock::now();
  placing_->wait();
  draft_text(folder_ / "series.xdmf", xdmf(entries_));
  placing_->hand_over(folder_ / "series.xdmf");
  draft_series(folder_, entries_);
  placing_->hand_over(folder_ / "series.h5");
  index_written_ = Clock::now();
  index_cost_ = index_written_ - start;
  index_is_current_ = true;
}

void SnapshotWriter::settle() {
  if (core::rank_of(comm_) == 0) placing_->wait();
}

void SnapshotWriter::finish() {
  core::on_first(comm_, [&] {
    if (!index_is_current_) write_index();
    placing_->wait();
  });
}

} // namespace rhumb::io
