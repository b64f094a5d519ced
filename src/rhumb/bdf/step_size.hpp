#pragma once
/// Which step next: BCP (5.2.23) and what a controller makes of it. Pure arithmetic.

#include <cstdint>
#include <span>

namespace rhumb::bdf {

/// r = (2 EST)^(-1/(k+1)), BCP (5.2.23): the ratio at which the error would be half the tolerance. Bounded for EST = 0.
double wanted_ratio(double estimate, int order);

/// DASSL's factor after an accepted step: doubles when r >= 2, keeps when 1 < r < 2, else shrinks to r within [0.5,
/// 0.9].
double dassl_factor(double ratio);

/// The error that the next step is expected to have when it is `factor` times the last one, at `order`:
///   M beta_{k+2} ||phi_{k+2}||
/// with the coefficients of that very step, so that the uneven steps behind it count as they are; (5.2.23) supposes
/// that they were even. `steps` are the completed ones, newest first; `difference_norm` is ||phi_{k+2}|| after the last
/// of them.
double expected_error(std::span<const double> steps, int order, double difference_norm, double factor);

/// The smooth controller's factor after an accepted step: the one whose expected error is the target of that order,
/// within [0.5, 2]. A growth too small to be worth a changed alpha is left out, and so is a small cut.
double smooth_factor(std::span<const double> steps, int order, double difference_norm);

/// Whether an integration begins once, or (with events) may begin again and again; an error of the start that index-2
/// variables see divided by h counts like the latter.
enum class Beginning : std::uint8_t { first, again };

/// While order and step still grow with every step: at least 2 (DASSL), more where the expected error allows it. After
/// an event always 2: a faster growth carries the rounding of the first short steps into the higher differences, and
/// where events are many that error is made many times.
double starting_factor(Beginning beginning, std::span<const double> steps, int order, double difference_norm);

/// The first step into an interval of that length, BCP 5.2.3: min(1e-3 interval, 1/2 / ||y'||).
double first_step(double interval, double norm_ydot);

/// The least first step of a system of index 3: the rounding of positions comes back divided by h in velocities, and
/// below this step it is more than a tenth of what Newton may leave.
double least_first_step(double norm_y, double newton_tolerance);

/// 4u max(|t|, longest step so far): below it t + h would be t, or would be lost in the rounding of the sum that t is.
/// (DASSL also counts the end of the interval, which at t = 0 refuses the short first steps of a stiff problem with a
/// long interval.)
double smallest_step(double t, double longest);

/// The last time before t.
double just_before(double t);

/// SIE (6.1): the ratio that keeps the length of the next correction below `limit`.
double ratio_for_correction(double correction_norm, double limit, int order);

} // namespace rhumb::bdf
