#pragma once
/// Where a condition on a run's figures begins to hold: the condition, and which values to try. Pure: no PETSc, no MPI.

#include <rhumb/dae/problem.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rhumb::run {

/// `name>value`, `name<value` or `name=word` about one figure.
struct Condition {
  std::string name;
  char comparison = '=';
  std::string value;

  /// Throws core::BadInput.
  static Condition parse(const std::string& text);
  std::string text() const { return name + comparison + value; }

  /// Nothing where the figure decides nothing: the word `open`, or a number that is none. Throws core::BadInput where
  /// there is no such figure (with the nearest name), or the comparison does not suit it.
  std::optional<bool> holds(const dae::Figures& figures) const;
};

/// Bisection: the mean of the bracket is tried next, the geometric one where both ends are positive. With room for
/// several runs at once they share the bracket evenly.
class Search {
public:
  /// From `first` (above 0) on, by factors of two: up until the condition holds, down until it does not.
  Search(double first, double width) : width_(width), first_{first} {}
  /// Between two values; the condition must hold at one of them only.
  Search(double low, double high, double width);

  /// The values to try now, at most `count`, none where the search is finished. Throws core::BadInput where both ends
  /// of an interval were tried and say the same.
  std::vector<double> next(std::size_t count) const;
  void take(double value, bool holds) { tried_[value] = holds; }

  /// The condition holds at one of its ends; nothing where none is known yet.
  std::optional<std::pair<double, double>> bracket() const;
  /// The bracket is no wider than `width` times the larger of its ends.
  bool finished() const;

private:
  double width_;
  std::vector<double> first_;
  std::map<double, bool> tried_;
};

} // namespace rhumb::run
