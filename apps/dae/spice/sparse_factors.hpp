#pragma once
/// alpha dF/dy' + dF/dy, with a conductance from every node to ground, factored on this rank.

#include <rhumb/core/handle.hpp>
#include <rhumb/dae/root_problem.hpp>
#include <optional>

namespace rhumb::problems::spice {

class SparseFactors {
public:
  /// `shunt` is added to the first `nodes` diagonal entries.
  SparseFactors(const dae::SparseLinearisation& at, double alpha, double shunt, std::size_t nodes);
  /// Nothing where the matrix is singular.
  std::optional<std::vector<double>> solve(const std::vector<double>& right) const;

private:
  core::MatHandle matrix_, factors_;
  bool good_ = true;
};

} // namespace rhumb::problems::spice
