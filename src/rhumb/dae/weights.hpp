#pragma once
/// Tolerances and the weighted norms, BCP 5.2 and 7.5:
///   ||v|| = sqrt( sum_i m_i (s_i v_i / w_i)^2 / sum_i m_i )  or  max_i |s_i v_i / w_i|,   w_i = rtol |y_i| + atol_i.
/// The factor s_i depends on the variable's kind: 0 leaves a kind out of a test, a power of h/T measures Newton's
/// corrections in index-scaled variables (LP2 section 4). T is the interval of the integration, so that the
/// unit of time does not matter. The share m_i is 1, or the entry's part of the volume of its field.

#include <rhumb/core/arrays.hpp>
#include <rhumb/dae/guarded_system.hpp>
#include <array>
#include <cmath>
#include <limits>

namespace rhumb::dae {

/// What the errors of the entries are put together to.
enum class Norm : std::uint8_t {
  automatic, ///< volume where some variables have no place beside a grid, else rms
  rms,       ///< the root of the mean square of all entries: each counts as much as any other
  max,       ///< the largest: every entry by itself has the accuracy asked for
  volume,    ///< the root of the mean over the fields of the mean square over the volume: see System::volumes
};

struct Tolerances {
  double rtol = 1e-4;
  double atol = 1e-8;
  /// Per field number; empty: `atol` for all. Negative entries mean `atol`.
  std::vector<double> atol_of_field = {};
  /// Per entry; they win over the scalars. Null: not given.
  Vec rtol_vector = nullptr;
  Vec atol_vector = nullptr;
  Norm norm = Norm::automatic;
  bool operator==(const Tolerances&) const = default;
};

/// s for each kind, indexed by Kind.
using KindScale = std::array<double, 4>;

inline constexpr KindScale all_kinds{1, 1, 1, 1};
inline constexpr KindScale without_higher_index{1, 1, 0, 0};
inline constexpr KindScale only_differential{1, 0, 0, 0};
/// h times an index-2 variable, h^2 times an index-3 variable (LP2 section 4), with h in units of a time scale; never
/// stricter than the plain norm.
KindScale index_scaled(double h);

class Weights {
public:
  Weights(GuardedSystem& system, const Tolerances& tolerances);

  /// Asks the system for the kinds again: they may change where it restarts (nodes come and go). One reduction.
  void refresh_kinds();

  /// w from y. A weight that is not positive fails here; the next reduction tells all ranks.
  void update(Vec y);

  /// ||v|| over the kinds with s > 0, and the shares of those. One reduction.
  double norm(Vec v, const KindScale& scale);

  /// The local part of what `reduce` makes global and `finish` a norm, for callers that merge reductions.
  double local_part(Vec v, const KindScale& scale) const;
  /// body(add): add(part, e e) takes an entry into a local part, e = s_i v_i f_i with the f_i of norm_factors.
  template <class Body>
  void with_norm(Body&& body) const;
  void reduce(std::span<double> parts) const;
  double finish(double part, const KindScale& scale) const;
  /// What `automatic` has become.
  Norm norm_in_use() const { return norm_; }

  /// The same with h in the unit of t: a step in parts of the time scale T.
  KindScale index_scaled(double h) const { return dae::index_scaled(h / time_scale_); }
  double time_scale() const { return time_scale_; }
  void set_time_scale(double scale) { time_scale_ = scale; }

  /// Whether s_i = 1 for all entries.
  bool all_ones(const KindScale& scale) const;

  /// 1/w.
  Vec inverse() const { return inverse_; }
  /// sqrt(m)/w: norms are those of v_i f_i.
  Vec norm_factors() const { return norm_factors_ ? norm_factors_ : inverse_; }
  /// body(rtol, atol), each a function of the local entry.
  template <class Body>
  void with_tolerances(Body&& body) const {
    rtol_.read([&](auto rtol) { atol_.read([&](auto atol) { body(rtol, atol); }); });
  }
  /// The kind of each local entry.
  std::span<const Kind> kinds() const { return kinds_; }
  /// Number of entries of that kind on all ranks.
  PetscInt count(Kind kind) const { return counts_[static_cast<std::size_t>(kind)]; }

  /// An entry of a vector, known on all ranks.
  struct Location {
    int rank = 0;
    int local = 0; ///< entry on that rank
    int field = 0;
    double size = 0.0; ///< weighted
  };
  /// Where |v| is largest in the weighted norm; collective.
  Location largest(Vec v, const KindScale& scale) const;
  /// The entry of v there, on all ranks.
  double value_at(const Location& at, Vec v) const;

private:
  /// A tolerance of every entry: one number as a rule, a vector where entries differ.
  struct Tolerance {
    double of_all = 0.0;
    core::VecHandle of_each = {};
    template <class Body>
    void read(Body&& body) const {
      if (!of_each) return body([value = of_all](std::size_t) { return value; });
      const core::Readable values(of_each);
      body([from = values.begin()](std::size_t i) { return from[i]; });
    }
  };
  void set_atol(const Tolerances& tolerances);
  void choose_norm(Norm requested);
  void share_volumes(Vec volumes);

  GuardedSystem& system_;
  Tolerance rtol_, atol_;
  core::VecHandle inverse_;
  Norm norm_ = Norm::rms;
  core::VecHandle roots_, norm_factors_; ///< sqrt(m), sqrt(m)/w; null: m = 1
  std::vector<Kind> kinds_;
  std::array<PetscInt, 4> counts_{};
  std::array<double, 4> shares_{}; ///< the sum of m over each kind
  double time_scale_ = 1.0;
};

/// A largest square keeps what is no number as infinity, which a comparison with any number leaves there.
template <class Body>
void Weights::with_norm(Body&& body) const {
  if (norm_ != Norm::max) return body([](double& sum, double square) { sum += square; });
  body([](double& largest, double square) {
    if (std::isnan(square)) square = std::numeric_limits<double>::infinity();
    if (square > largest) largest = square;
  });
}

} // namespace rhumb::dae
