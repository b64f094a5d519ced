#pragma once
/// `.print tran v(node) ...`: potentials at the times that `.tran STEP STOP START` gives, as lists in `results`.

#include "deck.hpp"
#include "deck_lines.hpp"
#include <rhumb/dae/problem.hpp>
#include <span>

namespace rhumb::problems::spice {

/// The nodes of one .print; what is no v(node) is left out.
std::vector<std::string> printed_nodes(const Line& line);

/// Throws core::BadInput for a node that is not there, and for more times than a list should hold.
void check_print(const Deck& deck);

/// START, START + STEP, ... STOP; none without .print.
std::vector<double> print_times(const Deck& deck);

class PrintedValues {
public:
  explicit PrintedValues(const Deck& deck);

  void add(double t, std::span<const double> potentials);
  void report(dae::Figures& figures) const;
  void save(std::vector<double>& memory) const;
  /// False where the memory cannot be that of these lists.
  bool restore(std::span<const double> memory);

private:
  std::size_t width() const { return nodes_.size() + 1; }

  std::vector<std::string> names_;
  std::vector<std::size_t> nodes_;
  std::vector<double> rows_; ///< time and values, one after another
};

} // namespace rhumb::problems::spice
