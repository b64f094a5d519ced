#pragma once
/// Unknowns whose values are given on boundaries. Their own rows say y_i = g_i(t); every other equation reads g and g'
/// instead of them, so that nothing depends on these unknowns: matrices keep their symmetry, and a constraint holds for
/// the given values exactly, whatever the step (cf. BCP 1.3.4).

#include <rhumb/grid/given_values.hpp>
#include <rhumb/pde/fem/space.hpp>

namespace rhumb::fem {

class Essential {
public:
  explicit Essential(const Space& space);

  /// Gives a component's unknowns on a boundary the values of the formula (null: zero), which must outlive this.
  void hold(int boundary, int component, const grid::PlaceFunction* formula);
  /// Gives one unknown the value zero: where its natural number is on this rank.
  void pin(PetscInt natural);
  /// To be called once, on all ranks, when all is held. Throws core::BadInput where a value is not finite or two
  /// boundaries give one unknown different values, at one of `times`.
  void check_agreement(std::span<const double> times);

  struct EssentialValue {
    PetscInt local, owned; ///< own: -1 on another rank
    PetscInt given;
    int boundary; ///< -1: pinned
  };
  std::span<const EssentialValue> entries() const { return entries_; }
  bool holds(PetscInt local) const { return entry_of_[local] >= 0; }

  /// g(t) and g'(t) into the local arrays; either may be null.
  void put(double t, double* values, double* rates);
  double value(const EssentialValue& entry) const { return given_.value(entry.given); }
  void update(double t) { given_.update(t); }
  /// A parameter of the formulas has changed.
  void forget() { given_.forget(); }
  /// Zero into the local array.
  void put_zero(double* values) const;

private:
  void add(PetscInt local, const grid::PlaceFunction* formula, int boundary);
  std::string complaint(double t);

  const Space& space_;
  std::vector<EssentialValue> entries_;
  std::vector<PetscInt> entry_of_; ///< by local number; -1: free
  struct Rival {
    PetscInt entry, given;
    int boundary;
  };
  std::vector<Rival> rivals_; ///< further claims to the same unknown
  grid::GivenValues given_;
};

} // namespace rhumb::fem
