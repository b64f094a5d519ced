#include <rhumb/core/failure.hpp>
#include <rhumb/io/hdf5.hpp>
#include <rhumb/io/packed.hpp>
#include <rhumb/io/series.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace rhumb::io {

namespace {
/// Of what is on its way to a file or from it.
constexpr std::size_t buffer_bytes = 1U << 16U;
/// Lists of series.h5 that are no scalar of the problem's.
constexpr std::array reserved{"time", "step", "snapshot"};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
} // namespace

void SeriesIndex::Scratch::append(const std::string& bytes) {
  waiting += bytes;
  if (waiting.size() >= buffer_bytes) flush();
}

void SeriesIndex::Scratch::flush() {
  file.write_at(size, bytes_of(waiting));
  size += waiting.size();
  waiting.clear();
}

void SeriesIndex::Scratch::for_each_piece(const std::function<void(std::string_view)>& take) {
  flush();
  std::string piece;
  for (std::uint64_t at = 0; at < size; at += piece.size()) {
    piece.resize(std::min<std::uint64_t>(buffer_bytes, size - at));
    file.read_at(at, std::as_writable_bytes(std::span(piece)));
    take(piece);
  }
}

SeriesIndex::SeriesIndex(Path run_folder) : folder_(std::move(run_folder)), xdmf_(folder_), rows_(folder_) {}

void SeriesIndex::add(const IndexRecord& record) {
  Packer row;
  row.put(static_cast<std::int64_t>(record.number)).put(record.time).put(static_cast<std::int64_t>(record.step));
  row.put(static_cast<std::uint32_t>(record.series.size()));
  for (const auto& [name, value] : record.series) {
    const auto found = std::ranges::find(names_, name);
    row.put(static_cast<std::uint32_t>(found - names_.begin())).put(value);
    if (found == names_.end()) names_.push_back(name);
  }
  const std::string bytes = row.take();
  rows_.append(Packer().put(std::string_view(bytes)).take());
  xdmf_.append(record.xdmf);
  ++count_;
  if (record.number != no_snapshot) ++snapshots_;
}

void SeriesIndex::for_each_row(const std::function<void(const IndexRow&)>& take) {
  std::string left;
  rows_.for_each_piece([&](std::string_view piece) {
    left += piece;
    std::size_t at = 0;
    for (;;) {
      std::uint64_t size = 0;
      if (left.size() - at < sizeof size) break;
      std::memcpy(&size, left.data() + at, sizeof size);
      if (left.size() - at - sizeof size < size) break;
      Unpacker from(std::string_view(left).substr(at + sizeof size, size));
      IndexRow row{.number = from.get<std::int64_t>(),
                   .time = from.get<double>(),
                   .step = from.get<std::int64_t>(),
                   .series = {}};
      for (auto count = from.get<std::uint32_t>(); count > 0; --count) {
        const auto which = from.get<std::uint32_t>();
        row.series.emplace_back(which, from.get<double>());
      }
      take(row);
      at += sizeof size + size;
    }
    left.erase(0, at);
  });
}

void SeriesIndex::draft_xdmf() {
  Descriptor draft(temporary_path(folder_ / "series.xdmf"), Descriptor::Mode::create);
  std::uint64_t at = 0;
  const auto write = [&](std::string_view text) {
    draft.write_at(at, bytes_of(text));
    at += text.size();
  };
  write(xdmf_begin());
  xdmf_.for_each_piece(write);
  write(xdmf_end());
  draft.close();
}

/// Closes all lists before the file is closed.
void SeriesIndex::write_lists(Hdf5File& file) {
  Hdf5List times = file.make_list("/series/time", count_, NumberType::real);
  Hdf5List steps = file.make_list("/series/step", count_, NumberType::integer);
  Hdf5List numbers = file.make_list("/series/snapshot", count_, NumberType::integer);
  std::vector<std::optional<Hdf5List>> columns(names_.size());
  for (std::size_t k = 0; k < names_.size(); ++k)
    if (std::ranges::find(reserved, names_[k]) == reserved.end())
      columns[k].emplace(file.make_list("/series/" + names_[k], count_, NumberType::real));
  std::vector<double> values(names_.size());
  for_each_row([&](const IndexRow& row) {
    times.add(row.time);
    steps.add(row.step);
    numbers.add(row.number);
    std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    for (const auto& [which, value] : row.series) values.at(which) = value;
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (columns[k]) columns[k]->add(values[k]);
  });
  for (Hdf5List* list : {&times, &steps, &numbers}) list->flush();
  for (auto& column : columns)
    if (column) column->flush();
}

void SeriesIndex::draft_series() {
  const Path draft = temporary_path(folder_ / "series.h5");
  {
    constexpr std::uint64_t bytes_each = 2048, bytes_fixed = 65536;
    Descriptor probe(draft, Descriptor::Mode::create);
    probe.reserve(bytes_fixed + snapshots_ * bytes_each + count_ * 8 * (reserved.size() + names_.size()));
  }
  Hdf5File file = Hdf5File::create(draft);
  file.make_group("/snapshots");
  file.make_group("/series");
  for_each_row([&](const IndexRow& row) {
    if (row.number == no_snapshot) return;
    const std::string name = snapshot_name(row.number);
    file.link_to_file("/snapshots/" + name.substr(0, name.size() - 3), "snapshots/" + name);
  });
  write_lists(file);
  file.close();
  H5garbage_collect(); // what HDF5 keeps of the links for a next time
}

void for_each_stored_row(const Path& file, std::uint64_t most, const std::function<void(const IndexRecord&)>& take) {
  if (most == 0 || !std::filesystem::exists(file)) return;
  const Hdf5File stored = Hdf5File::open(file);
  const auto list = [&](const std::string& name) { return stored.read_list("/series/" + name); };
  const std::vector<double> times = list("time"), steps = list("step"), numbers = list("snapshot");
  std::vector<std::pair<std::string, std::vector<double>>> columns;
  for (const std::string& name : stored.members("/series"))
    if (std::ranges::find(reserved, name) == reserved.end()) columns.emplace_back(name, list(name));
  const auto shorter = [&](const auto& column) { return column.second.size() < times.size(); };
  if (steps.size() < times.size() || numbers.size() < times.size() || std::ranges::any_of(columns, shorter))
    throw core::InputOutput(fmt::format("'{}' is damaged: its lists differ in length", file.string()));
  for (std::size_t i = 0; i < std::min<std::uint64_t>(most, times.size()); ++i) {
    IndexRecord row{static_cast<long>(numbers[i]), times[i], static_cast<long>(steps[i]), {}, ""};
    for (const auto& [name, values] : columns) row.series.emplace_back(name, values[i]);
    take(row);
  }
}

} // namespace rhumb::io
