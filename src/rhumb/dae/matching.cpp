#include <rhumb/dae/matching.hpp>

#include <algorithm>
#include <limits>

namespace rhumb::dae {

Pattern Pattern::of(int rows, int columns, std::vector<Entry> entries) {
  std::ranges::sort(entries);
  const auto repeated = std::ranges::unique(entries);
  entries.erase(repeated.begin(), repeated.end());
  Pattern out{rows, columns, std::vector<int>(static_cast<std::size_t>(rows) + 1, 0), {}};
  out.column.reserve(entries.size());
  for (const Entry& entry : entries) {
    ++out.begin[entry.row + 1];
    out.column.push_back(entry.column);
  }
  for (std::size_t i = 1; i < out.begin.size(); ++i) out.begin[i] += out.begin[i - 1];
  return out;
}

Pattern Pattern::transposed() const {
  std::vector<Entry> entries;
  entries.reserve(column.size());
  for (int i = 0; i < rows; ++i)
    for (const int j : row(i)) entries.push_back({j, i});
  return of(columns, rows, std::move(entries));
}

namespace {

constexpr int unreached = std::numeric_limits<int>::max();

/// Phases of Hopcroft and Karp: a breadth-first search for the length of the shortest augmenting paths, then as many of
/// them as there are without a common row, by depth-first searches that keep their own stack.
class HopcroftKarp {
public:
  explicit HopcroftKarp(const Pattern& pattern) : pattern_(pattern) {
    matching_.column_of_row.assign(static_cast<std::size_t>(pattern.rows), unmatched);
    matching_.row_of_column.assign(static_cast<std::size_t>(pattern.columns), unmatched);
    level_.resize(matching_.column_of_row.size());
    next_.resize(level_.size());
  }

  Matching solve() {
    while (find_levels()) {
      for (std::size_t i = 0; i < next_.size(); ++i) next_[i] = pattern_.begin[i];
      for (int i = 0; i < pattern_.rows; ++i)
        if (column_of(i) == unmatched && augment(i)) ++matching_.size;
    }
    return std::move(matching_);
  }

private:
  int& column_of(int row) { return matching_.column_of_row[row]; }
  int& row_of(int column) { return matching_.row_of_column[column]; }
  int& level(int row) { return level_[row]; }

  /// The number of pairs on a shortest alternating path from a free row to each row; whether one leads to a free column.
  bool find_levels() {
    std::vector<int> queue;
    for (int i = 0; i < pattern_.rows; ++i) {
      level(i) = column_of(i) == unmatched ? 0 : unreached;
      if (level(i) == 0) queue.push_back(i);
    }
    bool found = false;
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (const int j : pattern_.row(queue[head])) {
        const int other = row_of(j);
        if (other == unmatched) {
          found = true;
        } else if (level(other) == unreached) {
          level(other) = level(queue[head]) + 1;
          queue.push_back(other);
        }
      }
    return found;
  }

  /// From a free row along rising levels to a free column. A row without a way on is not tried again in this phase.
  bool augment(int start) {
    std::vector<int> path{start};
    while (!path.empty()) {
      const int i = path.back();
      int& p = next_[i];
      const int end = pattern_.begin[i + 1];
      while (p < end && !leads_on(i, pattern_.column[p])) ++p;
      if (p == end) {
        path.pop_back();
        if (!path.empty()) ++next_[path.back()];
        continue;
      }
      const int other = row_of(pattern_.column[p]);
      if (other == unmatched) {
        for (const int row : path) {
          column_of(row) = pattern_.column[next_[row]++];
          row_of(column_of(row)) = row;
        }
        return true;
      }
      path.push_back(other);
    }
    return false;
  }

  bool leads_on(int row, int column) {
    const int other = row_of(column);
    return other == unmatched || level(other) == level(row) + 1;
  }

  const Pattern& pattern_;
  Matching matching_;
  std::vector<int> level_, next_; ///< of each row; `next_`: the entry to try next
};

/// Rows and columns on alternating paths from the rows that are free; `pattern` and the matching as seen from there.
struct Reached {
  std::vector<int> rows, columns;
};
Reached reached_from_free(const Pattern& pattern, std::span<const int> column_of_row,
                          std::span<const int> row_of_column) {
  Reached out;
  std::vector<bool> row_seen(column_of_row.size(), false), column_seen(row_of_column.size(), false);
  for (int i = 0; i < pattern.rows; ++i)
    if (column_of_row[i] == unmatched) {
      row_seen[i] = true;
      out.rows.push_back(i);
    }
  for (std::size_t head = 0; head < out.rows.size(); ++head)
    for (const int j : pattern.row(out.rows[head])) {
      if (column_seen[j]) continue;
      column_seen[j] = true;
      out.columns.push_back(j);
      const int other = row_of_column[j];
      if (other == unmatched || row_seen[other]) continue;
      row_seen[other] = true;
      out.rows.push_back(other);
    }
  std::ranges::sort(out.rows);
  std::ranges::sort(out.columns);
  return out;
}

} // namespace

Matching maximum_matching(const Pattern& pattern) {
  return HopcroftKarp(pattern).solve();
}

StructuralParts structural_parts(const Pattern& pattern, const Matching& maximum) {
  Reached over = reached_from_free(pattern, maximum.column_of_row, maximum.row_of_column);
  Reached under = reached_from_free(pattern.transposed(), maximum.row_of_column, maximum.column_of_row);
  return {std::move(over.rows), std::move(over.columns), std::move(under.columns), std::move(under.rows)};
}

} // namespace rhumb::dae
