#pragma once
/// Which order next: the Taylor terms of BCP (5.2.22) should fall with the order; the strategy is Shampine and Gordon's
/// as DASSL uses it, but for one rule at order 2. Pure arithmetic.

#include <optional>

namespace rhumb::bdf {

/// TERKM2 .. TERKP1 of BCP (5.2.22): norms of h^i y^(i) for i = k-1, k, k+1, k+2.
struct TaylorTerms {
  std::optional<double> two_lower;  ///< TERKM2, only where k > 2
  std::optional<double> one_lower;  ///< TERKM1, only where k > 1
  double current = 0.0;             ///< TERK
  std::optional<double> one_higher; ///< TERKP1, only where it can be trusted
};

struct OrderChoice {
  int order = 1;
  double estimate = 0.0; ///< EST of (5.2.23): the chosen order's term times its error constant 1/(k+1)
};

/// The current order with its estimate.
OrderChoice kept(int order, const TaylorTerms& terms);

/// Lower the order or keep it; asked before it is known whether the step is accepted.
OrderChoice lower_or_keep(int order, const TaylorTerms& terms);

/// After an accepted step: also raises, where `terms.one_higher` is there and order < max_order.
OrderChoice lower_keep_or_raise(int order, int max_order, const TaylorTerms& terms);

} // namespace rhumb::bdf
