#include <rhumb/io/exchange.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <stdexcept>

namespace rhumb::io {

using core::check_mpi;

namespace {

constexpr std::uint64_t values_per_page = 4096 / 8;

std::uint64_t chunk_size(std::uint64_t total, int size) {
  const auto ranks = static_cast<std::uint64_t>(size);
  const std::uint64_t equal = (total + ranks - 1) / ranks;
  return std::max<std::uint64_t>((equal + values_per_page - 1) / values_per_page, 1) * values_per_page;
}

std::vector<int> starts(const std::vector<int>& counts) {
  std::vector<int> first(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), first.begin(), 0);
  return first;
}

} // namespace

Chunk chunk_of(std::uint64_t total, int rank, int size) {
  const std::uint64_t each = chunk_size(total, size);
  const std::uint64_t first = std::min(total, each * static_cast<std::uint64_t>(rank));
  return {first, std::min(each, total - first)};
}

Exchange::Exchange(MPI_Comm comm, std::uint64_t total, std::span<const std::uint64_t> indices, Cover cover)
    : comm_(comm), chunk_(chunk_of(total, core::rank_of(comm), core::size_of(comm))) {
  // A rank with an impossible place takes part without entries, so that all ranks learn of it together at the end.
  const auto beyond = std::ranges::find_if(indices, [&](std::uint64_t index) { return index >= total; });
  const bool possible = beyond == indices.end();
  sort_by_owner(possible ? indices : std::span<const std::uint64_t>(), chunk_size(total, core::size_of(comm)));
  core::run_and_agree(comm, [&] {
    if (!possible) throw std::logic_error(fmt::format("an entry wants place {} of an array of {}", *beyond, total));
    if (cover == Cover::once) check_cover();
  });
}

void Exchange::sort_by_owner(std::span<const std::uint64_t> indices, std::uint64_t each) {
  const auto ranks = static_cast<std::size_t>(core::size_of(comm_));
  local_counts_.resize(ranks);
  for (const std::uint64_t index : indices) ++local_counts_[index / each];
  std::vector<int> next = starts(local_counts_);
  order_.resize(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) order_[next[indices[i] / each]++] = i;
  chunk_counts_.resize(ranks);
  check_mpi(MPI_Alltoall(local_counts_.data(), 1, MPI_INT, chunk_counts_.data(), 1, MPI_INT, comm_));

  std::vector<std::uint64_t> wanted(indices.size());
  std::ranges::transform(order_, wanted.begin(), [&](std::size_t i) { return indices[i]; });
  std::vector<std::uint64_t> arrived(std::accumulate(chunk_counts_.begin(), chunk_counts_.end(), std::size_t{0}));
  move(wanted.data(), local_counts_, arrived.data(), chunk_counts_);
  slots_.resize(arrived.size());
  std::ranges::transform(arrived, slots_.begin(), [&](std::uint64_t index) { return index - chunk_.first; });
}

void Exchange::check_cover() const {
  std::vector<char> seen(chunk_.count);
  for (const std::size_t slot : slots_) {
    if (seen[slot]) throw std::logic_error(fmt::format("entry {} belongs to two ranks", chunk_.first + slot));
    seen[slot] = 1;
  }
  const auto missing = std::ranges::find(seen, 0);
  if (missing == seen.end()) return;
  throw std::logic_error(
      fmt::format("entry {} belongs to no rank", chunk_.first + static_cast<std::uint64_t>(missing - seen.begin())));
}

void Exchange::move(const void* from, const std::vector<int>& sent, void* to, const std::vector<int>& received) const {
  check_mpi(MPI_Alltoallv(from, sent.data(), starts(sent).data(), MPI_UINT64_T, to, received.data(),
                          starts(received).data(), MPI_UINT64_T, comm_));
}

std::uint64_t entries(std::span<const std::uint64_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), std::uint64_t{1}, std::multiplies<>());
}

namespace {

std::vector<std::uint64_t> indices_of_rows(const grid::Dims& global, std::span<const std::uint64_t> rows) {
  const std::uint64_t width = entries(std::span(global).subspan(1));
  std::vector<std::uint64_t> indices;
  indices.reserve(rows.size() * width);
  for (const std::uint64_t row : rows) {
    for (std::uint64_t i = 0; i < width; ++i) indices.push_back(row * width + i);
  }
  return indices;
}

} // namespace

std::vector<std::uint64_t> indices_of(const grid::Dims& global, const grid::Dims& offset, const grid::Dims& count,
                                      std::span<const std::uint64_t> rows) {
  if (count.empty()) return indices_of_rows(global, rows);
  std::vector<std::uint64_t> indices;
  if (entries(count) == 0) return indices;
  indices.reserve(entries(count));
  grid::Dims at(count.size(), 0);
  for (;;) {
    std::uint64_t index = 0;
    for (std::size_t d = 0; d < at.size(); ++d) index = index * global[d] + offset[d] + at[d];
    for (std::uint64_t i = 0; i < count.back(); ++i) indices.push_back(index + i);
    std::size_t d = at.size() - 1; // next line: count up all directions but the fastest
    while (d > 0 && ++at[d - 1] == count[d - 1]) at[--d] = 0;
    if (d == 0) return indices;
  }
}

} // namespace rhumb::io
