#include <rhumb/core/agreement.hpp>
#include <rhumb/io/exchange.hpp>
#include <gtest/gtest.h>
#include <numeric>

namespace {

using namespace rhumb;

MPI_Comm world() {
  return MPI_COMM_WORLD;
}

/// Rank r of n holds the places r, r + n, r + 2n, ... from the end.
std::vector<std::uint64_t> dealt_out(std::uint64_t total) {
  std::vector<std::uint64_t> indices;
  const auto size = static_cast<std::uint64_t>(core::size_of(world()));
  for (auto i = static_cast<std::uint64_t>(core::rank_of(world())); i < total; i += size)
    indices.push_back(total - 1 - i);
  return indices;
}

TEST(Chunks, CoverTheWholeWithoutOverlapAndShareNoPage) {
  for (const std::uint64_t total : {0U, 1U, 511U, 512U, 513U, 4000U, 100000U}) {
    for (int size = 1; size <= 7; ++size) {
      std::uint64_t end = 0;
      for (int rank = 0; rank < size; ++rank) {
        const io::Chunk chunk = io::chunk_of(total, rank, size);
        EXPECT_EQ(chunk.first, end);
        EXPECT_TRUE(chunk.count == 0 || chunk.first % 512 == 0);
        end += chunk.count;
      }
      EXPECT_EQ(end, total);
    }
  }
}

TEST(Exchange, BringsEveryEntryToItsPlaceAndBack) {
  constexpr std::uint64_t total = 5003;
  const auto indices = dealt_out(total);
  std::vector<double> local(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) local[i] = 0.1 * static_cast<double>(indices[i]);
  const io::Exchange exchange(world(), total, indices);
  const auto chunk = exchange.to_chunk(std::span<const double>(local));
  ASSERT_EQ(chunk.size(), exchange.chunk().count);
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    EXPECT_EQ(chunk[i], 0.1 * static_cast<double>(exchange.chunk().first + i));
  }
  EXPECT_EQ(exchange.to_indices(std::span<const double>(chunk)), local);
}

TEST(Exchange, EntriesThatNobodyHasAreReportedOnAllRanks) {
  EXPECT_THROW(io::Exchange(world(), 1001, dealt_out(1000)), std::logic_error);
}

TEST(Exchange, EntriesThatTwoHaveAreReportedOnAllRanks) {
  auto indices = dealt_out(1000);
  if (core::rank_of(world()) == 0) indices.push_back(7);
  EXPECT_THROW(io::Exchange(world(), 1000, indices), std::logic_error);
}

TEST(Exchange, PlacesBeyondTheEndAreReportedOnAllRanks) {
  auto indices = dealt_out(1000);
  if (core::rank_of(world()) == 0) indices[0] = 1000;
  EXPECT_THROW(io::Exchange(world(), 1000, indices), std::logic_error);
}

TEST(PointBatch, OfABoxFollowCOrder) {
  const std::vector<std::uint64_t> expected{1 * 20 + 2 * 5 + 3, 1 * 20 + 2 * 5 + 4, 1 * 20 + 3 * 5 + 3,
                                            1 * 20 + 3 * 5 + 4, 2 * 20 + 2 * 5 + 3, 2 * 20 + 2 * 5 + 4,
                                            2 * 20 + 3 * 5 + 3, 2 * 20 + 3 * 5 + 4};
  EXPECT_EQ(io::indices_of({3, 4, 5}, {1, 2, 3}, {2, 2, 2}, {}), expected);
  EXPECT_TRUE(io::indices_of({3, 4, 5}, {1, 2, 3}, {2, 0, 2}, {}).empty());
}

TEST(PointBatch, OfRowsTakeWholeRows) {
  const std::vector<std::uint64_t> rows{4, 1}, expected{8, 9, 2, 3};
  EXPECT_EQ(io::indices_of({6, 2}, {}, {}, rows), expected);
}

} // namespace
