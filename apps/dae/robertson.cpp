/// Robertson's chemical kinetics as an index-1 system: the third rate equation is replaced by the conservation of mass.
///   y1' = -k1 y1 + k2 y2 y3
///   y2' =  k1 y1 - k2 y2 y3 - k3 y2^2
///   0   =  y1 + y2 + y3 - 1,          y(0) = (1, 0, 0), to t = 4e10, k = (0.04, 1e4, 3e7).

#include "problems.hpp"
#include "small_problem.hpp"
#include <algorithm>
#include <array>
#include <cmath>

namespace rhumb::problems {
namespace {

using dae::Kind;

/// The solution at t = 0.4*10^k, k = 0..11; two methods at tight tolerances agree on it to about 1e-9 relative.
struct Reference {
  double t;
  std::array<double, 3> y;
};
constexpr std::array<Reference, 12> reference{{
    {0.4, {0.9851721138609898, 3.386395378974899e-05, 0.014794022185220452}},
    {4.0, {0.9055186785842576, 2.240475687560251e-05, 0.09445891665886728}},
    {40.0, {0.7158270687194018, 9.18553476455749e-06, 0.28416374574583314}},
    {400.0, {0.4505186684711124, 3.2229014416747402e-06, 0.5494781086274475}},
    {4000.0, {0.18320225777670662, 8.942371252775655e-07, 0.8167968479861706}},
    {40000.0, {0.03898337708548338, 1.6217683159096976e-07, 0.9610164607376875}},
    {400000.0, {0.004938274520982105, 1.984994087955288e-08, 0.9950617056290784}},
    {4000000.0, {0.0005168096014938005, 2.0682944912299043e-09, 0.9994831883302131}},
    {40000000.0, {5.2030718441217333e-05, 2.0813357318930067e-10, 0.9999479690734253}},
    {400000000.0, {5.2077021035701944e-06, 2.0830915594141725e-11, 0.9999947922770661}},
    {4000000000.0, {5.208276611434932e-07, 2.083311716604162e-12, 0.9999994791702597}},
    {40000000000.0, {5.208345176796916e-08, 2.0833381779245538e-13, 0.9999999479163428}},
}};

class Robertson final : public SmallProblem {
public:
  Robertson(MPI_Comm comm, const core::Options& options)
      : SmallProblem(comm, "robertson", {{.name = "y1"}, {.name = "y2"}, {.name = "y3", .kind = Kind::index1}},
                     options),
        tolerances_(tolerances_in_use(options, default_tolerances(), fields())) {
    parameters_.bind(options, "k1", k1_, {"robertson: rate of y1 -> y2", "1/s"}, core::Range::at_least(0.0));
    parameters_.bind(options, "k2", k2_, {"robertson: rate of y2 + y3 -> y1 + y3", "1/s"}, core::Range::at_least(0.0));
    parameters_.bind(options, "k3", k3_, {"robertson: rate of y2 + y2 -> y3 + y2", "1/s"}, core::Range::at_least(0.0));
  }

  double t_end() const override { return 4e10; }
  dae::Preferences preferences() const override { return {}; } // backwards its fast rates explode
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-4, .atol_of_field = {1e-8, 1e-14, 1e-6}}; }

  std::vector<double> watch_times() const override {
    std::vector<double> times;
    for (const auto& row : reference) times.push_back(row.t);
    return times;
  }

  dae::Figures report(double, Vec, Vec) override { return {{"max_weighted_error", largest_error(0)}}; }

protected:
  void start(double, std::span<double> y, std::span<double> ydot) const override {
    y[0] = 1.0;
    y[1] = y[2] = 0.0;
    ydot[0] = -k1_;
    ydot[1] = k1_;
  }

  void evaluate(double, Values y, Values ydot, std::span<double> f) const override {
    f[0] = ydot[0] + k1_ * y[0] - k2_ * y[1] * y[2];
    f[1] = ydot[1] - k1_ * y[0] + k2_ * y[1] * y[2] + k3_ * y[1] * y[1];
    f[2] = y[0] + y[1] + y[2] - 1.0;
  }

  void linearise(double, Values y, Values, Linearisation& at) const override {
    at.dydot(0, 0) = at.dydot(1, 1) = 1.0;
    at.dy(0, 0) = k1_;
    at.dy(0, 1) = -k2_ * y[2];
    at.dy(0, 2) = -k2_ * y[1];
    at.dy(1, 0) = -k1_;
    at.dy(1, 1) = k2_ * y[2] + 2.0 * k3_ * y[1];
    at.dy(1, 2) = k2_ * y[1];
    at.dy(2, 0) = at.dy(2, 1) = at.dy(2, 2) = 1.0;
  }

  void see(double t, Values y, Values) override {
    for (const auto& row : reference)
      if (std::abs(t - row.t) <= 1e-9 * row.t) note_error(0, weighted_error(row.y, y));
  }

private:
  /// sqrt(1/3 sum ((y_i - y_ref,i) / (rtol |y_ref,i| + atol_i))^2): one is an error as large as the tolerance.
  double weighted_error(const std::array<double, 3>& truth, Values y) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double e = (y[i] - truth[i]) / (tolerances_.rtol * std::abs(truth[i]) + tolerances_.atol_of_field[i]);
      sum += e * e;
    }
    return std::sqrt(sum / static_cast<double>(truth.size()));
  }

  dae::Tolerances tolerances_;
  double k1_ = 0.04, k2_ = 1e4, k3_ = 3e7;
};

} // namespace

std::unique_ptr<dae::Problem> robertson(MPI_Comm comm, const core::Options& options) {
  return std::make_unique<Robertson>(comm, options);
}

} // namespace rhumb::problems
