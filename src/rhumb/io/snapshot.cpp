#include <rhumb/io/snapshot.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/io/background_renamer.hpp>
#include <rhumb/io/file_template.hpp>
#include <rhumb/io/isolated.hpp>
#include <rhumb/io/packed.hpp>
#include <rhumb/io/snapshot_contents.hpp>
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace rhumb::io {

namespace {

/// Runs have fewer; a file with a larger number is nobody's way.
constexpr long max_number = 20'000'000;

/// Number of a snapshot by its file's name, exactly as a run writes it, or -1.
long number_of(const std::string& name) {
  constexpr std::size_t max_length = 18;
  const long number = name.size() < max_length && name.ends_with(".h5") ? std::atol(name.c_str()) : -1;
  return number >= 0 && number < max_number && name == snapshot_name(number) ? number : -1;
}

bool is_draft(const std::string& name) {
  return name.ends_with(".tmp") && number_of(name.substr(0, name.size() - 4)) >= 0;
}

/// Numbers of the files that are named as snapshots, in order. Drafts of a run that was killed go.
std::vector<long> numbers_in(const Path& folder) {
  std::vector<long> numbers;
  std::vector<Path> drafts;
  for (const auto& item : std::filesystem::directory_iterator(folder)) {
    const std::string name = item.path().filename().string();
    if (is_draft(name)) drafts.push_back(item.path());
    if (number_of(name) >= 0) numbers.push_back(number_of(name));
  }
  for (const Path& draft : drafts) std::filesystem::remove(draft);
  std::ranges::sort(numbers);
  return numbers;
}

/// Why the file is no snapshot of that number, or empty; then `record` has its line of the index.
std::string read_record(const Path& file, long number, IndexRecord& record) {
  try {
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file))) return "it is no file";
    const SnapshotEntry entry = describe_snapshot(file);
    if (entry.number != number) return "it is the snapshot of another number";
    record = record_of(entry);
    return "";
  } catch (const core::InputOutput& error) {
    return error.what();
  }
}

std::string packed(const std::string& refusal, const IndexRecord& record) {
  Packer packer;
  packer.put(refusal).put(static_cast<std::int64_t>(record.number)).put(record.time);
  packer.put(static_cast<std::int64_t>(record.step)).put(record.xdmf);
  for (const auto& [name, value] : record.series) packer.put(name).put(value);
  return packer.take();
}

std::string unpacked(const std::string& bytes, IndexRecord& record) {
  Unpacker from(bytes);
  std::string refusal = from.text();
  record = {.number = from.get<std::int64_t>(),
            .time = from.get<double>(),
            .step = from.get<std::int64_t>(),
            .series = {},
            .xdmf = from.text()};
  while (!from.empty()) {
    std::string name = from.text();
    record.series.emplace_back(std::move(name), from.get<double>());
  }
  return refusal;
}

/// Sends the record of each snapshot and, between them, the rows of series.h5 that are no snapshot's.
void send_records(const Path& run_folder, const std::vector<long>& numbers, std::uint64_t rows, const Send& send) {
  auto next = numbers.begin();
  const auto send_through = [&](long last) {
    for (; next != numbers.end() && *next <= last; ++next) {
      IndexRecord record;
      const std::string refusal = read_record(run_folder / "snapshots" / snapshot_name(*next), *next, record);
      record.number = *next;
      send(packed(refusal, record));
    }
  };
  for_each_stored_row(run_folder / "series.h5", rows, [&](const IndexRecord& row) {
    if (row.number == no_snapshot)
      send(packed("", row));
    else
      send_through(row.number);
  });
  send_through(max_number);
}

/// Removes drafts and the snapshots from `first` on, which this run writes again; what is before goes into the index.
/// What a run did not write is neither removed nor replaced.
void take_over(const Path& run_folder, const SeriesPosition& first, SeriesIndex& index) {
  const Path folder = run_folder / "snapshots";
  const std::vector<long> numbers = numbers_in(folder);
  if (numbers.empty() && first.rows == 0) return;
  std::vector<Path> old;
  std::size_t done = 0;
  const auto reject = [&](const std::string& why) {
    throw core::InputOutput(fmt::format("'{}' is in the way and is no snapshot of a run: move it ({})",
                                        (folder / snapshot_name(numbers[done])).string(), why));
  };
  const auto describe_all = [&](const Send& send) { send_records(run_folder, numbers, first.rows, send); };
  const auto take = [&](const std::string& bytes) {
    IndexRecord record;
    const std::string refusal = unpacked(bytes, record);
    if (record.number == no_snapshot) return index.add(record);
    if (!refusal.empty() && record.number >= first.snapshot) reject(refusal);
    if (refusal.empty() && record.number < first.snapshot) index.add(record);
    if (record.number >= first.snapshot) old.push_back(folder / snapshot_name(record.number));
    ++done;
  };
  try {
    run_isolated(describe_all, take);
  } catch (const core::InputOutput& error) {
    if (done < numbers.size() && numbers[done] >= first.snapshot) reject(error.what());
    throw;
  }
  for (const Path& file : old) std::filesystem::remove(file);
}

Group root_attributes(const SeriesInfo& about, const dae::Problem& problem, const SnapshotTime& moment) {
  return {"/",
          {{"time", moment.t},
           {"step", static_cast<std::int64_t>(moment.step)},
           {"number", static_cast<std::int64_t>(moment.number)},
           {"app", about.app},
           {"problem", problem.name()},
           {"version", about.version}}};
}

} // namespace

double snapshot_bytes(MPI_Comm comm, dae::Problem& problem, double t, Vec y, Vec ydot) {
  constexpr double fixed = 8192.0, each = 512.0;
  PointsHolder points; // the first snapshot has more: the points of a box
  snapshot_contents(comm, problem, {.number = 0, .t = t, .step = 0, .y = y, .ydot = ydot}, points);
  const FileContents contents =
      snapshot_contents(comm, problem, {.number = 1, .t = t, .step = 0, .y = y, .ydot = ydot}, points);
  double bytes = fixed;
  for (const Dataset& dataset : contents.datasets) bytes += each + 8.0 * static_cast<double>(entries(dataset.dims));
  return bytes;
}

SnapshotWriter::SnapshotWriter(MPI_Comm comm, Path run_folder, SeriesInfo about, SeriesPosition first)
    : comm_(comm), folder_(std::move(run_folder)), about_(std::move(about)), next_(first),
      points_(std::make_unique<PointsHolder>()), file_template_(std::make_unique<FileTemplate>()),
      renamer_(std::make_unique<BackgroundRenamer>()), flush_(flush_of_drafts(comm)) {
  make_folder(comm_, folder_ / "snapshots");
  core::run_on_root(comm_, [&] {
    index_ = std::make_unique<SeriesIndex>(folder_);
    take_over(folder_, first, *index_);
    next_.rows = index_->rows();
  });
  core::check_mpi(MPI_Bcast(&next_.rows, 1, MPI_UINT64_T, 0, comm_));
}

SnapshotWriter::~SnapshotWriter() = default;
SnapshotWriter::SnapshotWriter(SnapshotWriter&&) noexcept = default;

void SnapshotWriter::write(dae::Problem& problem, double t, long step, Vec y, Vec ydot, Additions additions) {
  const SnapshotTime moment{next_.snapshot, t, step, y, ydot};
  FileContents contents = snapshot_contents(comm_, problem, moment, *points_, std::move(additions));
  contents.groups.insert(contents.groups.begin(), root_attributes(about_, problem, moment));
  Group options{"/options", {}};
  for (const auto& [name, value] : about_.options) options.attributes.push_back({name, value});
  contents.groups.push_back(std::move(options));

  const Path file = folder_ / "snapshots" / snapshot_name(next_.snapshot);
  write_draft(comm_, file, contents, flush_, *file_template_);
  ++next_.snapshot;
  ++next_.rows;
  core::run_on_root(comm_, [&] {
    index_->add(record_of(describe_snapshot(contents)));
    renamer_->enqueue(file);
    write_index_if_cheap();
  });
}

void SnapshotWriter::add_row(double t, long step, const Scalars& scalars) {
  ++next_.rows;
  core::run_on_root(comm_, [&] {
    index_->add({.number = no_snapshot, .time = t, .step = step, .series = scalars, .xdmf = ""});
    rows_are_current_ = false;
    write_index_if_cheap();
  });
}

/// The whole index after each of many snapshots would cost more than the snapshots: a hundredth of the time is enough.
void SnapshotWriter::write_index_if_cheap() {
  index_is_current_ = false;
  if (Clock::now() - index_written_ >= 100 * index_cost_) write_index();
}

/// The drafts of the index have one name each: the last ones must be in their places before new ones are begun.
void SnapshotWriter::write_index() {
  const auto start = Clock::now();
  renamer_->wait();
  index_->draft_xdmf();
  renamer_->enqueue(folder_ / "series.xdmf");
  index_->draft_series();
  renamer_->enqueue(folder_ / "series.h5");
  index_written_ = Clock::now();
  index_cost_ = index_written_ - start;
  index_is_current_ = true;
  rows_are_current_ = true;
}

void SnapshotWriter::flush() {
  if (core::rank_of(comm_) != 0) return;
  if (!rows_are_current_) write_index(); // they are nowhere else
  renamer_->wait();
}

void SnapshotWriter::finish() {
  core::run_on_root(comm_, [&] {
    if (!index_is_current_) write_index();
    renamer_->wait();
  });
}

} // namespace rhumb::io
