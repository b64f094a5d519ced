#pragma once
/// Sets of things that are joined one by one; the smallest member stands for its set.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace rhumb::network {

class UnionFind {
public:
  explicit UnionFind(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }

  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// False where they were in one set already.
  bool join(std::size_t i, std::size_t j) {
    i = find(i);
    j = find(j);
    parent_[std::max(i, j)] = std::min(i, j);
    return i != j;
  }

private:
  std::vector<std::size_t> parent_;
};

} // namespace rhumb::network
