#include "printing.hpp"

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::problems::spice {

namespace {
constexpr double most_times = 1e5;
constexpr double rounding = 1e-9; // of a step

double count_of_times(const Deck& deck) {
  return std::floor((deck.end - deck.print_start) / deck.print_step + rounding) + 1.0;
}
} // namespace

std::vector<std::string> printed_nodes(const Line& line) {
  std::vector<std::string> nodes;
  for (std::size_t i = 1; i + 1 < line.words.size(); ++i)
    if (line.words[i] == "v") nodes.push_back(line.words[++i]);
  return nodes;
}

void check_print(const Deck& deck) {
  for (const auto& node : deck.printed)
    if (std::ranges::find(deck.nodes, node) == deck.nodes.end())
      throw core::BadInput(fmt::format("{}: .print has v({}), but no such node is there; nearest: {}", deck.file, node,
                                       core::nearest(node, deck.nodes)));
  if (!deck.printed.empty() && count_of_times(deck) > most_times)
    throw core::BadInput(fmt::format("{}: .tran's STEP gives {:.3g} times to print, more than {:g}", deck.file,
                                     count_of_times(deck), most_times));
}

std::vector<double> print_times(const Deck& deck) {
  std::vector<double> times;
  if (deck.printed.empty()) return times;
  for (double i = 0.0; i < count_of_times(deck); ++i)
    times.push_back(std::min(deck.print_start + i * deck.print_step, deck.end));
  return times;
}

PrintedValues::PrintedValues(const Deck& deck) {
  for (const auto& node : deck.printed) {
    names_.push_back(fmt::format("print_v({})", node));
    nodes_.push_back(static_cast<std::size_t>(std::ranges::find(deck.nodes, node) - deck.nodes.begin()));
  }
}

void PrintedValues::add(double t, std::span<const double> potentials) {
  rows_.push_back(t);
  for (const std::size_t node : nodes_) rows_.push_back(potentials[node]);
}

void PrintedValues::report(dae::Figures& figures) const {
  if (nodes_.empty()) return;
  const auto column = [this](std::size_t k) {
    std::vector<double> values;
    for (std::size_t i = k; i < rows_.size(); i += width()) values.push_back(rows_[i]);
    return values;
  };
  figures.emplace_back("print_times", column(0));
  for (std::size_t k = 0; k < names_.size(); ++k) figures.emplace_back(names_[k], column(k + 1));
}

void PrintedValues::save(std::vector<double>& memory) const {
  memory.insert(memory.end(), rows_.begin(), rows_.end());
}

bool PrintedValues::restore(std::span<const double> memory) {
  if (nodes_.empty() ? !memory.empty() : memory.size() % width() != 0) return false;
  rows_.assign(memory.begin(), memory.end());
  return true;
}

} // namespace rhumb::problems::spice
