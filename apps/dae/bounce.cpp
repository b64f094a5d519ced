/// A ball that falls from 1 m and bounces, each time with the share -restitution of its speed:
///   h' = v,   v' = -g,   0 = energy - v^2/2 - g h
/// and the event h = 0 from above. Between bounces the motion is a parabola, so every bounce time is known:
///   t_1 = sqrt(2 h0/g),   t_(k+1) = t_k + 2 t_1 e^k.
/// Once the ball leaves the ground slower than 1 mm/s it counts as resting, and the run stops.

#include "problems.hpp"
#include "small_problem.hpp"
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/stored_count.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rhumb::problems {
namespace {

constexpr double gravity = 9.81, start_height = 1.0, resting_speed = 1e-3;

class Bounce final : public SmallProblem {
public:
  Bounce(MPI_Comm comm, const core::Options& options)
      : SmallProblem(comm, "bounce",
                     {{.name = "h", .unit = "m", .long_name = "height"},
                      {.name = "v", .unit = "m/s", .long_name = "velocity, up"},
                      {.name = "energy", .unit = "m2/s2", .long_name = "energy per mass", .kind = dae::Kind::index1}},
                     options),
        restitution_(options.real("restitution", 0.8, {"share of the speed that a bounce keeps"},
                                  {.low = 0.0, .high = 1.0, .low_open = true})) {}

  double t_end() const override { return 3.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-6, .atol = 1e-6}; }
  dae::Offers offers() const override { return {.jacobian = true, .mass_product = true, .exact = true}; }

  std::vector<dae::Event> events() const override {
    return {{.name = "ground", .direction = dae::Event::Direction::falling}};
  }
  void event_values(double, Vec y, Vec, std::span<double> values) override { values[0] = everywhere(y)[0]; }

  dae::AfterEvent on_event(double t, std::span<const int>, Vec y, Vec ydot) override {
    const double speed = -restitution_ * everywhere(y)[1];
    error_ = std::max(error_, std::abs(t - bounce_time(bounces_)));
    ++bounces_;
    const core::Writable value(y), rate(ydot);
    if (value.size() > 0) set_state(0.0, speed, value.span(), rate.span());
    return speed < resting_speed ? dae::AfterEvent::stop : dae::AfterEvent::restart;
  }

  dae::Figures report(double t, Vec y, Vec) override {
    const auto value = everywhere(y);
    const auto truth = solution_at(t);
    return {{"event_time_error_max", error_},
            {"bounces", static_cast<double>(bounces_)},
            {"h_error", std::abs(value[0] - truth[0])}};
  }

  std::vector<double> saved_state() const override { return {static_cast<double>(bounces_), error_}; }
  void restore_state(std::span<const double> state) override {
    if (state.size() != 2) throw core::BadInput("the checkpoint's memory is not that of a ball");
    bounces_ =
        static_cast<int>(core::stored_count(state[0], std::numeric_limits<int>::max() / 2, "the number of bounces"));
    error_ = state[1];
  }

protected:
  void start(double, std::span<double> y, std::span<double> ydot) const override {
    set_state(start_height, 0.0, y, ydot);
  }
  void evaluate(double, Values y, Values ydot, std::span<double> f) const override {
    f[0] = ydot[0] - y[1];
    f[1] = ydot[1] + gravity;
    f[2] = y[2] - 0.5 * y[1] * y[1] - gravity * y[0];
  }
  void linearise(double, Values y, Values, Linearisation& at) const override {
    at.dydot(0, 0) = at.dydot(1, 1) = 1.0;
    at.dy(0, 1) = -1.0;
    at.dy(2, 0) = -gravity;
    at.dy(2, 1) = -y[1];
    at.dy(2, 2) = 1.0;
  }
  void solution(double t, std::span<double> y) const override {
    int before = 0;
    while (bounce_time(before) <= t && lift_off_speed(before) >= resting_speed) ++before;
    const double since = before == 0 ? t : t - bounce_time(before - 1);
    const double speed = before == 0 ? 0.0 : lift_off_speed(before - 1);
    const double height = before == 0 ? start_height : 0.0;
    y[0] = height + (speed - 0.5 * gravity * since) * since;
    y[1] = speed - gravity * since;
    y[2] = gravity * height + 0.5 * speed * speed;
  }

private:
  static void set_state(double height, double speed, std::span<double> y, std::span<double> ydot) {
    y[0] = height;
    y[1] = speed;
    y[2] = 0.5 * speed * speed + gravity * height;
    ydot[0] = speed;
    ydot[1] = -gravity;
    ydot[2] = 0.0;
  }

  static double first_fall() { return std::sqrt(2.0 * start_height / gravity); }
  /// Speed after bounce k, counted from 0.
  double lift_off_speed(int k) const { return gravity * first_fall() * std::pow(restitution_, k + 1); }
  /// t_1 (1 + 2 (e + ... + e^k)). In closed form: a checkpoint may say any number of bounces.
  double bounce_time(int k) const {
    const double e = restitution_;
    const double sum = e == 1.0 ? k : -e * std::expm1(k * std::log(e)) / (1.0 - e);
    return first_fall() * (1.0 + 2.0 * sum);
  }

  double restitution_;
  int bounces_ = 0;
  double error_ = 0.0;
};

} // namespace

std::unique_ptr<dae::Problem> bounce(MPI_Comm comm, const core::Options& options) {
  return std::make_unique<Bounce>(comm, options);
}

} // namespace rhumb::problems
