// Matchings and the parts of structurally singular patterns, against all patterns of small matrices.
#include <rhumb/dae/matching.hpp>
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace {

using namespace rhumb::dae;

Pattern pattern_of_bits(int rows, int columns, unsigned bits) {
  std::vector<Pattern::Entry> entries;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      if (bits >> (i * columns + j) & 1U) entries.push_back({i, j});
  return Pattern::of(rows, columns, std::move(entries));
}

/// The most rows that can be matched, by trying every column for every row.
int largest_by_trying(const Pattern& pattern, int row, unsigned used) {
  if (row == pattern.rows) return 0;
  int best = largest_by_trying(pattern, row + 1, used);
  for (const int j : pattern.row(row))
    if (!(used >> j & 1U)) best = std::max(best, 1 + largest_by_trying(pattern, row + 1, used | 1U << j));
  return best;
}

void expect_valid(const Pattern& pattern, const Matching& matching) {
  int pairs = 0;
  for (int i = 0; i < pattern.rows; ++i) {
    const int j = matching.column_of_row[i];
    if (j == unmatched) continue;
    ++pairs;
    EXPECT_TRUE(std::ranges::binary_search(pattern.row(i), j));
    EXPECT_EQ(matching.row_of_column[j], i);
  }
  EXPECT_EQ(pairs, matching.size);
}

bool has(const std::vector<int>& list, int what) {
  return std::ranges::binary_search(list, what);
}

/// What defines the coarse decomposition: the overdetermined rows hold no other columns, the underdetermined columns
/// stand in no other rows, free rows and columns are in their parts, and those have the surplus that they must.
void expect_parts(const Pattern& pattern, const Matching& matching, const StructuralParts& parts) {
  const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
  EXPECT_EQ(count(parts.overdetermined_rows) - count(parts.overdetermined_columns), pattern.rows - matching.size);
  EXPECT_EQ(count(parts.underdetermined_columns) - count(parts.underdetermined_rows), pattern.columns - matching.size);
  for (int i = 0; i < pattern.rows; ++i) {
    if (matching.column_of_row[i] == unmatched) {
      EXPECT_TRUE(has(parts.overdetermined_rows, i));
    }
    EXPECT_FALSE(has(parts.overdetermined_rows, i) && has(parts.underdetermined_rows, i));
    for (const int j : pattern.row(i)) {
      if (has(parts.overdetermined_rows, i)) {
        EXPECT_TRUE(has(parts.overdetermined_columns, j));
      }
      if (has(parts.underdetermined_columns, j)) {
        EXPECT_TRUE(has(parts.underdetermined_rows, i));
      }
    }
  }
  for (int j = 0; j < pattern.columns; ++j)
    if (matching.row_of_column[j] == unmatched) {
      EXPECT_TRUE(has(parts.underdetermined_columns, j));
    }
}

TEST(Matching, IsMaximalForEveryPatternOfUpToSixteenEntries) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {2, 2}, {3, 3}, {2, 4}, {4, 2}, {3, 5}, {5, 3}, {4, 4}})
    for (unsigned bits = 0; bits < 1U << (rows * columns); ++bits) {
      const Pattern pattern = pattern_of_bits(rows, columns, bits);
      const Matching matching = maximum_matching(pattern);
      ASSERT_EQ(matching.size, largest_by_trying(pattern, 0, 0)) << rows << " x " << columns << ", bits " << bits;
      expect_valid(pattern, matching);
      expect_parts(pattern, matching, structural_parts(pattern, matching));
      if (HasFailure()) FAIL() << rows << " x " << columns << ", bits " << bits;
    }
}

TEST(Matching, IsMaximalForRandomPatternsOfTwelveRows) {
  std::mt19937 random(1);
  for (int sample = 0; sample < 2000; ++sample) {
    std::vector<Pattern::Entry> entries;
    for (int k = 0; k < 10 + sample % 20; ++k)
      entries.push_back({static_cast<int>(random() % 12), static_cast<int>(random() % 12)});
    const Pattern pattern = Pattern::of(12, 12, entries);
    const Matching matching = maximum_matching(pattern);
    ASSERT_EQ(matching.size, largest_by_trying(pattern, 0, 0));
    expect_valid(pattern, matching);
    expect_parts(pattern, matching, structural_parts(pattern, matching));
  }
}

TEST(Matching, OfALongChainNeedsOneLongAugmentingPathAndNoStack) {
  constexpr int size = 200000; // row i holds columns i and i + 1; the last row holds column 0 only
  std::vector<Pattern::Entry> entries{{size - 1, 0}};
  for (int i = 0; i + 1 < size; ++i) {
    entries.push_back({i, i});
    entries.push_back({i, i + 1});
  }
  const Pattern pattern = Pattern::of(size, size, std::move(entries));
  const Matching matching = maximum_matching(pattern);
  EXPECT_EQ(matching.size, size);
  EXPECT_EQ(matching.column_of_row[0], 1);
  EXPECT_TRUE(structural_parts(pattern, matching).overdetermined_rows.empty());
}

TEST(Matching, NamesTheOverAndTheUnderdeterminedPart) {
  // Rows 0, 1 hold column 0 alone; columns 2, 3 stand in row 3 alone; row 2 and column 1 belong together.
  const Pattern pattern = Pattern::of(4, 4, {{0, 0}, {1, 0}, {2, 1}, {2, 0}, {3, 2}, {3, 3}, {3, 1}});
  const Matching matching = maximum_matching(pattern);
  EXPECT_EQ(matching.size, 3);
  const StructuralParts parts = structural_parts(pattern, matching);
  EXPECT_EQ(parts.overdetermined_rows, (std::vector{0, 1}));
  EXPECT_EQ(parts.overdetermined_columns, (std::vector{0}));
  EXPECT_EQ(parts.underdetermined_rows, (std::vector{3}));
  EXPECT_EQ(parts.underdetermined_columns, (std::vector{2, 3}));
}

} // namespace
