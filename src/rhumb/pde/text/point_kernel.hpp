#pragma once
/// Expressions of a model at one point of a moving mesh, for kernels that are generic in the scalar: their values and
/// partial derivatives are computed as plain numbers and joined with the scalar's slopes by the chain rule.
///
/// A point is a row of numbers: coordinates, fields, their derivatives direction by direction, rates of the fields.

#include <rhumb/core/dual.hpp>
#include <rhumb/pde/text/program.hpp>
#include <concepts>
#include <limits>
#include <optional>
#include <span>

namespace rhumb::text {

/// The length of a point's row.
constexpr std::size_t row_size(std::size_t directions, std::size_t fields) {
  return directions + fields * (2 + directions);
}

/// Why an expression cannot be evaluated on a moving mesh, in words; empty where it can.
std::string reason_against_moving(const Graph& graph, Node node);

class PointKernel {
public:
  PointKernel() = default;
  /// `normal` serves expressions on a side. The expressions must have no reason against them.
  PointKernel(Graph& graph, const std::vector<Node>& expressions, std::size_t directions, std::size_t fields,
              const std::array<double, 3>& normal = {});

  std::size_t results() const { return results_; }
  /// Numbers of the user have changed.
  void forget() const { values_.t = whole_.t = std::numeric_limits<double>::quiet_NaN(); }
  /// The values at a point. Reductions are those of figures.
  void operator()(std::span<const double> row, const Uniforms& now, double* results) const;
  template <class S>
  requires(!std::same_as<S, double>) void operator()(std::span<const S> row, const Uniforms& now, S* results) const {
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = core::value_of(row[i]);
    run(whole_, numbers_, now, found_.data());
    for (std::size_t r = 0; r < results_; ++r) results[r] = S(found_[r]);
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      S& result = results[entries_[k].result];
      result = S::combine_guarded(result.value, result, 1.0, row[entries_[k].input], found_[results_ + k]);
    }
  }
  /// The programs behind it, to be compiled.
  std::vector<Program*> programs() { return {&values_.program, &whole_.program}; }

private:
  /// The derivative of a result by a number of the row.
  struct Entry {
    std::size_t result, input;
  };

  /// Its registers are workspace.
  struct Part {
    Program program;
    double t = std::numeric_limits<double>::quiet_NaN(); ///< of the last evaluation
  };

  void run(Part& part, std::span<const double> row, const Uniforms& now, double* results) const;

  std::size_t directions_ = 1, fields_ = 1, results_ = 0;
  std::vector<Entry> entries_;
  mutable Part values_, whole_; ///< results; results and the entries' derivatives
  mutable std::array<double, place::width> place_{};
  mutable std::vector<double> numbers_, found_;
};

} // namespace rhumb::text
