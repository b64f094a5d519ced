#pragma once
/// Derivatives of a number (a figure, a root function) by every entry of y and y', by central differences. Ranges of
/// entries without influence are found first, by moving all of them at once: a number that few entries determine takes
/// few evaluations.

#include <rhumb/dae/system.hpp>
#include <array>
#include <functional>

namespace rhumb::dae {

class ScalarDifferences {
public:
  /// The same value on all ranks. Collective.
  using Function = std::function<double(Vec y, Vec ydot)>;
  /// At (y, y'); vectors are borrowed. One evaluation.
  ScalarDifferences(const System& system, Function function, Vec y, Vec ydot);

  void by_y(Vec out) { find(0, out); }
  void by_ydot(Vec out) { find(1, out); }

private:
  void find(std::size_t which, Vec out);
  void find_scales(std::size_t which);
  double increment(std::size_t which, PetscInt local) const;
  double beside(std::size_t which, PetscInt from, PetscInt to, double part);
  void divide(std::size_t which, PetscInt from, PetscInt to, std::span<double> out);

  const System& system_;
  Function function_;
  std::array<Vec, 2> given_{};
  std::array<core::VecHandle, 2> moved_;
  std::array<std::vector<double>, 2> scales_; ///< by field
  PetscInt first_ = 0, last_ = 0, size_ = 0;
  double base_ = 0.0;
};

} // namespace rhumb::dae
