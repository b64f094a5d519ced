#pragma once
/// From the grid's cut into ranks to equal pieces of the global order, and back. Files hold global order; ranks hold
/// whatever the grid gave them. In between, each rank has one contiguous chunk, so that a dataset is written by one
/// system call per rank.

#include <rhumb/core/agreement.hpp>
#include <rhumb/grid/geometry.hpp>
#include <mpi.h>
#include <span>

namespace rhumb::io {

/// The chunk of one rank: entries [first, first + count) of `total`.
struct Chunk {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Equal chunks, rounded up to whole pages of numbers: no two ranks write to the same page of a file.
Chunk chunk_of(std::uint64_t total, int rank, int size);

class Exchange {
public:
  enum class Cover : std::uint8_t {
    once, ///< every entry of the whole belongs to one rank; anything else throws std::logic_error on all ranks
    any,  ///< entries may be wanted by several ranks or by none; only `to_indices` makes sense
  };

  /// `places[i]` is where the i-th local entry stands in the global order. Collective, as is everything below.
  Exchange(MPI_Comm comm, std::uint64_t total, std::span<const std::uint64_t> indices, Cover cover = Cover::once);

  Chunk chunk() const { return chunk_; }

  template <class Element>
  std::vector<Element> to_chunk(std::span<const Element> local) const {
    static_assert(sizeof(Element) == 8);
    std::vector<Element> sent(order_.size()), arrived(slots_.size()), chunk(chunk_.count);
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = local[order_[i]];
    move(sent.data(), local_counts_, arrived.data(), chunk_counts_);
    for (std::size_t i = 0; i < slots_.size(); ++i) chunk[slots_[i]] = arrived[i];
    return chunk;
  }

  template <class Element>
  std::vector<Element> to_indices(std::span<const Element> chunk) const {
    static_assert(sizeof(Element) == 8);
    std::vector<Element> sent(slots_.size()), arrived(order_.size()), local(order_.size());
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = chunk[slots_[i]];
    move(sent.data(), chunk_counts_, arrived.data(), local_counts_);
    for (std::size_t i = 0; i < order_.size(); ++i) local[order_[i]] = arrived[i];
    return local;
  }

private:
  void sort_by_owner(std::span<const std::uint64_t> indices, std::uint64_t chunk_size);
  void check_cover() const;
  /// Words of 8 bytes from the ranks that have them to the ranks that want them.
  void move(const void* from, const std::vector<int>& sent, void* to, const std::vector<int>& received) const;

  MPI_Comm comm_;
  Chunk chunk_;
  std::vector<std::size_t> order_;               ///< local entries, sorted by the rank whose chunk they are in
  std::vector<std::size_t> slots_;               ///< where each entry that arrives stands in the chunk
  std::vector<int> local_counts_, chunk_counts_; ///< entries per rank, on either side
};

/// The places of a block's entries in the global order.
std::vector<std::uint64_t> indices_of(const grid::Dims& global, const grid::Dims& offset, const grid::Dims& count,
                                      std::span<const std::uint64_t> rows);

/// The product of the sizes.
std::uint64_t entries(std::span<const std::uint64_t> dims);

/// This rank's chunk of the array that the blocks make up together. Takes the block's values, where it can, and nothing
/// else of it. Collective.
template <class Element>
std::vector<Element> chunk_from(MPI_Comm comm, grid::Block<Element>&& block) {
  if (core::size_of(comm) == 1 && block.count == block.global) return std::move(block.values);
  const auto indices = indices_of(block.global, block.offset, block.count, block.rows);
  return Exchange(comm, entries(block.global), indices).to_chunk(std::span<const Element>(block.values));
}

} // namespace rhumb::io
