#include <rhumb/io/stored_field.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <rhumb/io/hdf5.hpp>
#include <rhumb/io/isolated.hpp>
#include <rhumb/io/packed.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::io {

namespace {

/// Every rank holds all of it.
constexpr std::uint64_t most_values = std::uint64_t{1} << 26U;

/// The last snapshot of a run, or the file itself.
Path snapshot_at(const Path& location) {
  std::error_code error;
  if (std::filesystem::is_regular_file(location, error)) return location;
  Path last;
  for (const auto& item : std::filesystem::directory_iterator(location / "snapshots", error))
    if (item.path().extension() == ".h5" && item.path().stem() > last.stem()) last = item.path();
  if (last.empty())
    throw core::BadInput(fmt::format("there is no snapshot at '{}': the folder of a run is wanted", location.string()));
  return last;
}

std::vector<double> read_numbers(const Hdf5File& hdf5, const Path& file, const std::string& dataset) {
  Descriptor descriptor(file, Descriptor::Mode::read);
  const grid::Dims dims = hdf5.dims(dataset);
  std::uint64_t size = dims.size() > 3 ? 0 : 1;
  for (const auto length : dims) size = std::min(size * std::min(length, most_values + 1), most_values + 1);
  if (size == 0 || size > most_values)
    throw core::BadInput(
        fmt::format("'{}': {} has {} values: 1 to {} can be read", file.string(), dataset, size, most_values));
  std::vector<double> numbers(size);
  hdf5.require_plain(dataset, dims, descriptor.size());
  descriptor.read_at(hdf5.offset(dataset), std::as_writable_bytes(std::span(numbers)));
  return numbers;
}

void put(Packer& packer, const std::vector<double>& numbers) {
  packer.put(static_cast<std::uint64_t>(numbers.size()));
  for (const double value : numbers) packer.put(value);
}

/// In the child process: coordinates and values as bytes.
std::string pack(const Path& file, const std::string& field) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  if (hdf5.text("/mesh", "kind") != "box")
    throw core::BadInput(fmt::format("'{}' is of a run on a mesh: fields of boxes can be read", file.string()));
  if (const auto names = hdf5.members("/fields"); std::ranges::find(names, field) == names.end()) {
    const auto meant = core::nearest(field, names);
    throw core::BadInput(fmt::format("'{}' has no field '{}'{}: there are {}", file.string(), field,
                                     meant.empty() ? "" : fmt::format(", is '{}' meant?", meant),
                                     fmt::join(names, ", ")));
  }
  Packer packer;
  std::uint64_t points = 1;
  const auto axes = hdf5.members("/mesh");
  for (const char* axis : {"x", "y", "z"}) {
    if (std::ranges::find(axes, axis) == axes.end()) break;
    const auto places = read_numbers(hdf5, file, std::string("/mesh/") + axis);
    points *= places.size();
    packer.put(std::uint8_t{1});
    put(packer, places);
  }
  packer.put(std::uint8_t{0});
  const auto values = read_numbers(hdf5, file, "/fields/" + field);
  if (values.size() != points)
    throw core::BadInput(fmt::format("'{}': {} does not stand at the points of the box", file.string(), field));
  put(packer, values);
  return packer.take();
}

std::vector<double> take(Unpacker& from) {
  std::vector<double> numbers(from.get<std::uint64_t>());
  for (double& value : numbers) value = from.get<double>();
  return numbers;
}

} // namespace

double StoredField::operator()(std::span<const double> position) const {
  constexpr std::size_t most = 3;
  std::array<std::size_t, most> below{};
  std::array<double, most> part{}; // of the way to the next point
  for (std::size_t d = 0; d < directions(); ++d) {
    const auto& x = coordinates_[d];
    const auto after = std::upper_bound(x.begin(), x.end(), position[d]) - x.begin();
    below[d] = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(after - 1, 0, std::ssize(x) - 1));
    if (below[d] + 1 < x.size()) part[d] = std::max(0.0, (position[d] - x[below[d]]) / (x[below[d] + 1] - x[below[d]]));
  }
  double sum = 0.0;
  for (std::size_t corner = 0; corner < std::size_t{1} << directions(); ++corner) {
    double share = 1.0;
    std::size_t index = 0;
    for (std::size_t d = directions(); d-- > 0;) {
      const bool next = (corner >> d & 1U) != 0;
      share *= next ? part[d] : 1.0 - part[d];
      index = index * coordinates_[d].size() + std::min(below[d] + (next ? 1 : 0), coordinates_[d].size() - 1);
    }
    if (share != 0.0) sum += share * values_[index];
  }
  return sum;
}

void StoredField::repeat(std::size_t direction, double end) {
  auto& x = coordinates_[direction];
  if (!(end > x.back())) return;
  std::size_t stride = 1;
  for (std::size_t d = 0; d < direction; ++d) stride *= coordinates_[d].size();
  std::vector<double> longer;
  const std::size_t length = stride * x.size();
  for (std::size_t first = 0; first < values_.size(); first += length) {
    const auto from = values_.begin() + static_cast<std::ptrdiff_t>(first);
    longer.insert(longer.end(), from, from + static_cast<std::ptrdiff_t>(length));
    longer.insert(longer.end(), from, from + static_cast<std::ptrdiff_t>(stride));
  }
  values_ = std::move(longer);
  x.push_back(end);
}

StoredField read_stored_field(MPI_Comm comm, const Path& location, const std::string& field) {
  std::string bytes;
  core::run_on_root(comm, [&] {
    const Path file = snapshot_at(location);
    run_isolated([&](const Send& send) { send(pack(file, field)); },
                 [&](std::string record) { bytes = std::move(record); });
  });
  bytes = core::broadcast(comm, std::move(bytes));
  Unpacker from(bytes);
  std::vector<std::vector<double>> coordinates;
  while (from.get<std::uint8_t>() != 0) {
    coordinates.push_back(take(from));
    const auto& x = coordinates.back();
    if (std::ranges::adjacent_find(x, [](double a, double b) { return !(a < b); }) != x.end())
      throw core::BadInput(fmt::format("'{}': the coordinates do not ascend", location.string()));
  }
  auto values = take(from);
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
    throw core::BadInput(fmt::format("'{}': {} has values that are no numbers", location.string(), field));
  return {std::move(coordinates), std::move(values)};
}

} // namespace rhumb::io
