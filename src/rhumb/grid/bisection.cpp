#include <rhumb/grid/bisection.hpp>

#include <algorithm>
#include <numeric>

namespace rhumb::grid {

namespace {

class Bisection {
public:
  explicit Bisection(std::span<const std::array<double, 3>> centres) : centres_(centres), part_of_(centres.size()) {}

  /// `cells` become the parts from `first` on.
  void cut(std::span<std::size_t> cells, int first, int parts) {
    if (parts == 1) {
      for (const std::size_t cell : cells) part_of_[cell] = first;
      return;
    }
    const int below = parts / 2;
    // Parts differ by at most one cell: the first ones have one more.
    const std::size_t share = cells.size() / static_cast<std::size_t>(parts);
    const std::size_t more = cells.size() % static_cast<std::size_t>(parts);
    const std::size_t middle =
        share * static_cast<std::size_t>(below) + std::min(more, static_cast<std::size_t>(below));
    const std::size_t d = longest(cells);
    const auto less = [&](std::size_t a, std::size_t b) {
      return centres_[a][d] != centres_[b][d] ? centres_[a][d] < centres_[b][d] : a < b;
    };
    std::nth_element(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(middle), cells.end(), less);
    cut(cells.first(middle), first, below);
    cut(cells.subspan(middle), first + below, parts - below);
  }
  std::vector<int> result() { return std::move(part_of_); }

private:
  std::size_t longest(std::span<const std::size_t> cells) const {
    std::array<double, 3> extent{};
    for (std::size_t d = 0; d < 3; ++d) {
      const auto [low, high] = std::minmax_element(
          cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) { return centres_[a][d] < centres_[b][d]; });
      if (low != cells.end()) extent[d] = centres_[*high][d] - centres_[*low][d];
    }
    return static_cast<std::size_t>(std::max_element(extent.begin(), extent.end()) - extent.begin());
  }

  std::span<const std::array<double, 3>> centres_;
  std::vector<int> part_of_;
};

} // namespace

std::vector<int> bisect(std::span<const std::array<double, 3>> centres, int parts) {
  std::vector<std::size_t> cells(centres.size());
  std::iota(cells.begin(), cells.end(), std::size_t{0});
  Bisection bisection(centres);
  bisection.cut(cells, 0, parts);
  return bisection.result();
}

} // namespace rhumb::grid
