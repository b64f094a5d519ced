#include <rhumb/dae/signature.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>

namespace rhumb::dae {

Signature signature_of(const Pattern& values, const Pattern& rates) {
  std::vector<Pattern::Entry> entries;
  for (const Pattern* part : {&values, &rates})
    for (int i = 0; i < part->rows; ++i)
      for (const int j : part->row(i)) entries.push_back({i, j});
  Signature out{Pattern::of(values.rows, values.columns, std::move(entries)), {}};
  out.has_rate.reserve(out.all.column.size());
  for (int i = 0; i < out.all.rows; ++i)
    for (const int j : out.all.row(i)) out.has_rate.push_back(std::ranges::binary_search(rates.row(i), j) ? 1 : 0);
  return out;
}

std::vector<char> Signature::rate_columns() const {
  std::vector<char> out(static_cast<std::size_t>(all.columns), 0);
  for (std::size_t p = 0; p < has_rate.size(); ++p)
    if (has_rate[p]) out[all.column[p]] = 1;
  return out;
}

namespace {

/// Pantelides' algorithm. Differentiating an equation raises the order of all that stands in it, so an equation that
/// was differentiated c times and a variable whose highest derivative is d may be matched where sigma + c = d. An
/// equation that cannot be matched is differentiated with all those that it competes with.
class Pantelides {
public:
  explicit Pantelides(const Signature& signature)
      : signature_(signature), row_seen_(static_cast<std::size_t>(signature.size()), 0), column_seen_(row_seen_),
        next_(row_seen_) {
    out_.equation.assign(row_seen_.size(), 0);
    out_.variable.assign(row_seen_.size(), 0);
    out_.equation_of.assign(row_seen_.size(), unmatched);
    const auto rates = signature.rate_columns();
    std::ranges::copy(rates, out_.variable.begin());
  }

  Offsets solve() {
    for (int i = 0; i < signature_.size(); ++i)
      while (!match(i)) differentiate();
    return std::move(out_);
  }

private:
  bool eligible(int row, int p) const {
    return signature_.has_rate[p] + out_.equation[row] == out_.variable[signature_.all.column[p]];
  }

  /// A free variable for the row, without moving others.
  int free_entry(int row) const {
    for (int p = signature_.all.begin[row]; p < signature_.all.begin[row + 1]; ++p)
      if (eligible(row, p) && out_.equation_of[signature_.all.column[p]] == unmatched) return p;
    return unmatched;
  }

  void visit(int row) {
    row_seen_[row] = search_;
    next_[row] = signature_.all.begin[row];
    rows_.push_back(row);
    path_.push_back(row);
  }

  /// An augmenting path from an equation; what it saw is kept for `differentiate` where there is none.
  bool match(int start) {
    ++search_;
    rows_.clear();
    columns_.clear();
    path_.clear();
    entries_.clear();
    visit(start);
    while (!path_.empty()) {
      const int i = path_.back();
      if (const int p = next_[i] == signature_.all.begin[i] ? free_entry(i) : unmatched; p != unmatched) {
        entries_.push_back(p);
        assign_path();
        return true;
      }
      if (!go_on(i)) {
        path_.pop_back();
        if (!entries_.empty()) entries_.pop_back();
      }
    }
    return false;
  }

  /// To the next row that row i competes with.
  bool go_on(int i) {
    for (int& p = next_[i]; p < signature_.all.begin[i + 1]; ++p) {
      const int j = signature_.all.column[p];
      if (!eligible(i, p) || column_seen_[j] == search_) continue;
      column_seen_[j] = search_;
      columns_.push_back(j);
      entries_.push_back(p++);
      visit(out_.equation_of[j]); // rows see each of their free variables first
      return true;
    }
    return false;
  }

  void assign_path() {
    for (std::size_t k = 0; k < path_.size(); ++k) out_.equation_of[signature_.all.column[entries_[k]]] = path_[k];
  }

  void differentiate() {
    for (const int i : rows_) ++out_.equation[i];
    for (const int j : columns_) ++out_.variable[j];
  }

  const Signature& signature_;
  Offsets out_;
  std::vector<int> row_seen_, column_seen_, next_; ///< number of the search that saw it last; entry to try next
  std::vector<int> rows_, columns_;                ///< seen in this search
  std::vector<int> path_, entries_;                ///< rows, and the entries that lead on from them
  int search_ = 0;
};

} // namespace

Offsets offsets(const Signature& signature) {
  if (maximum_matching(signature.all).size < signature.size()) // Pantelides would not end
    throw std::logic_error("a structurally singular system has no offsets");
  return Pantelides(signature).solve();
}

/// A minor's determinant has the degree of its heaviest matching. With the offsets, that of entry (j, i) of the inverse
/// is c_i - d_j less the slacks d - c - sigma on the best alternating path from row i to column j: a shortest path.
std::vector<int> growth(const Signature& signature, const Offsets& offsets) {
  const Pattern equations_with = signature.all.transposed();
  std::vector<int> column_of(offsets.equation_of.size()), cost(column_of.size(), std::numeric_limits<int>::max());
  for (std::size_t j = 0; j < column_of.size(); ++j) column_of[offsets.equation_of[j]] = static_cast<int>(j);
  using Reached = std::pair<int, int>; // cost, column
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  const auto reach = [&](int column, int price) {
    if (price >= cost[column]) return;
    cost[column] = price;
    queue.emplace(price, column);
  };
  for (int i = 0; i < signature.size(); ++i) reach(column_of[i], -offsets.equation[i]);
  while (!queue.empty()) {
    const auto [price, j] = queue.top();
    queue.pop();
    if (price > cost[j]) continue;
    for (const int i : equations_with.row(j)) {
      const auto in_row = signature.all.row(i);
      const auto p = signature.all.begin[i] + (std::ranges::lower_bound(in_row, j) - in_row.begin());
      reach(column_of[i], price + offsets.variable[j] - offsets.equation[i] - signature.has_rate[p]);
    }
  }
  for (std::size_t j = 0; j < cost.size(); ++j) cost[j] = -cost[j] - offsets.variable[j];
  return cost;
}

int structural_index(const Signature& signature, const Offsets& offsets) {
  int largest = -1;
  for (const int power : growth(signature, offsets)) largest = std::max(largest, power);
  return largest + 1;
}

} // namespace rhumb::dae
