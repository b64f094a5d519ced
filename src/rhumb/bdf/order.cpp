#include <rhumb/bdf/order.hpp>

#include <algorithm>

namespace rhumb::bdf {

namespace {
OrderChoice lowered(int order, const TaylorTerms& terms) {
  return {order - 1, *terms.one_lower / order};
}
OrderChoice raised(int order, const TaylorTerms& terms) {
  return {order + 1, *terms.one_higher / (order + 2)};
}
/// At low order there are only two terms to compare, and a clear fall is asked for.
constexpr double clear_fall = 0.5;
/// Of the tolerance; an estimate beyond it makes the step shrink (5.2.23).
constexpr double affordable = 0.5;
} // namespace

OrderChoice kept(int order, const TaylorTerms& terms) {
  return {order, terms.current / (order + 1)};
}

OrderChoice lower_or_keep(int order, const TaylorTerms& terms) {
  if (!terms.one_lower) return kept(order, terms);
  const bool lower = terms.two_lower ? std::max(*terms.one_lower, *terms.two_lower) <= terms.current
                                     : *terms.one_lower <= clear_fall * terms.current;
  return lower ? lowered(order, terms) : kept(order, terms);
}

OrderChoice lower_keep_or_raise(int order, int max_order, const TaylorTerms& terms) {
  const OrderChoice first = lower_or_keep(order, terms);
  if (first.order < order || order >= max_order || !terms.one_higher) return first;
  if (!terms.one_lower) return *terms.one_higher < clear_fall * terms.current ? raised(order, terms) : first;
  if (*terms.one_lower <= std::min(terms.current, *terms.one_higher)) {
    // DASSL lowers here. Where order 1 would have to shorten the step, that can go in circles: the shorter steps raise
    // the order, and the raised order lengthens them again.
    const OrderChoice lower = lowered(order, terms);
    return terms.two_lower || lower.estimate <= affordable ? lower : first;
  }
  return *terms.one_higher < terms.current ? raised(order, terms) : first;
}

} // namespace rhumb::bdf
