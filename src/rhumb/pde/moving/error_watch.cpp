#include <rhumb/pde/moving/error_watch.hpp>

#include <rhumb/pde/moving/regridding.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::moving {

namespace {
/// What a step leaves of the tolerance, typically.
constexpr double typical = 0.2;

/// A mesh whose worst cell is wider than this, in units of the mean width, has not followed the solution there.
constexpr double loose_width = 0.5;
/// How much less of the floor is worth a trial then.
constexpr double smaller_alpha = 0.1;

/// Means over the line: of |u_t| at fixed places, and of |u|, summed over the components in units of their scales.
struct Means {
  double rate = 0.0, size = 0.0, unit = 0.0;
};

Means means(const Profile& now, const Profile& rates, const std::vector<double>& scales) {
  const auto& x = now.x;
  Means out;
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const auto& u = now.u[k];
    for (std::size_t c = 0; c + 1 < x.size(); ++c) {
      const double h = x[c + 1] - x[c], derivative = (u[c + 1] - u[c]) / h;
      const auto fixed_rate = [&](std::size_t i) { return std::abs(rates.u[k][i] - derivative * rates.x[i]); };
      out.rate += 0.5 * h * (fixed_rate(c) + fixed_rate(c + 1)) / scales[k];
      out.size += 0.5 * h * (std::abs(u[c]) + std::abs(u[c + 1])) / scales[k];
    }
    out.unit += 1.0 / scales[k];
  }
  const double length = x.back() - x.front();
  out.rate /= length;
  out.size /= length;
  return out;
}

/// Two digits, rounded down: 3.4e-06.
double rounded_down(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)));
  return std::floor(value / unit) * unit;
}
} // namespace

void ErrorWatch::step(double t, const Profile& now, const Profile& rates) {
  const auto errors = cell_errors(now, asked_.scales);
  const auto at = std::ranges::max_element(errors);
  if (const double worst = *at; worst > now_.space) {
    const auto c = static_cast<std::size_t>(at - errors.begin());
    now_.space = worst;
    now_.space_at = t;
    now_.width = (now.x[c + 1] - now.x[c]) * static_cast<double>(errors.size()) / (now.x.back() - now.x.front());
  }
  const double h = now_.begun != 0.0 ? t - now_.t : 0.0;
  now_.t = t;
  now_.begun = 1.0;
  const Means mean = means(now, rates, asked_.scales);
  const double tolerance = asked_.rtol * mean.size + asked_.atol * mean.unit;
  if (!(h * mean.rate > tolerance)) return;
  const double left = typical * tolerance;
  now_.errors += left * left;
  now_.shifts += (left / mean.rate) * (left / mean.rate);
  now_.time = std::max(now_.time, std::sqrt(now_.errors) + mean.rate * std::sqrt(now_.shifts));
}

std::string ErrorWatch::advice(double cells) const {
  std::string text;
  if (now_.space > asked_.error) {
    const bool follows = !(asked_.monitor_alpha > 0.0) || now_.width < loose_width;
    text = fmt::format("the mesh is too coarse for an error of {:g}: its cells leave out {:.2g} of u at t = {:.6g}; ",
                       asked_.error, now_.space, now_.space_at);
    text += follows ? fmt::format("about -n {:.0f} is needed", std::ceil(cells * std::sqrt(now_.space / asked_.error)))
                    : fmt::format("a cell of {:.2g} times the mean width stands there, so the mesh hardly follows: try "
                                  "-monitor_alpha {:g}",
                                  now_.width, smaller_alpha * asked_.monitor_alpha);
  }
  if (now_.time > asked_.error)
    text +=
        fmt::format("{}-dae_rtol {:g} is too loose for an error of {:g}: {:.2g} is to be expected; try -dae_rtol {:g}",
                    text.empty() ? "" : "; ", asked_.rtol, asked_.error, now_.time,
                    rounded_down(asked_.rtol * asked_.error / now_.time));
  return text;
}

std::vector<double> ErrorWatch::saved_state() const {
  return {now_.t, now_.begun, now_.space, now_.space_at, now_.time, now_.errors, now_.shifts, now_.width};
}

void ErrorWatch::restore_state(std::span<const double> n) {
  now_ = {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]};
}

} // namespace rhumb::moving
