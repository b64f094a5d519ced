#pragma once
/// Jacobi's elliptic functions, for the exact motion of the pendulum.

namespace rhumb::problems {

struct JacobiElliptic {
  double sn, cn, dn;
};

/// sn, cn and dn of the real argument u with modulus 0 < k < 1, to a few units of roundoff: descending Landen
/// transformation by the arithmetic-geometric mean.
JacobiElliptic jacobi_elliptic(double u, double k);

} // namespace rhumb::problems
