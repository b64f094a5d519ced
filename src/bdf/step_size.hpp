#pragma once
/// Which step next: BCP (5.2.23) and what a controller makes of it. Pure arithmetic.

#include "bdf/options.hpp"

namespace rhumb::bdf {

/// r = (2 EST)^(-1/(k+1)), BCP (5.2.23): the ratio at which the error would be half the tolerance. Bounded for EST = 0.
double wanted_ratio(double estimate, int order);

/// The factor for the step after an accepted one.
///  dassl:  doubles when r >= 2, keeps when 1 < r < 2, else shrinks to r within [0.5, 0.9].
///  smooth: grows to r when r is worth a new iteration matrix, by at most 2; shrinks as above.
double factor_after_success(Controller controller, double ratio);

/// The first step, BCP 5.2.3: min(1e-3 |t_end - t0|, 1/2 / ||y'||), signed towards t_end.
double first_step(double t0, double t_end, double norm_ydot);

/// 4u |t|: below it t + h would be t. (DASSL also counts the end of the interval, which at t = 0 refuses the short
/// first steps of a stiff problem with a long interval.)
double smallest_step(double t);

/// SIE (6.1): the ratio that keeps the length of the next correction below `limit`.
double ratio_for_correction(double correction_norm, double limit, int order);

} // namespace rhumb::bdf
