#pragma once
/// Gradients of figures at the end of a run, or of their integrals over it, by any number of parameters and by the initial
/// values, from one sweep back over the steps (bdf/adjoint.hpp): -gradient FIGURE,... -with p1,...,initial:FIELD.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/io/snapshot.hpp>
#include <rhumb/run/figure_gradient.hpp>
#include <rhumb/run/gradient_request.hpp>
#include <rhumb/run/observer.hpp>

namespace rhumb::run {

/// Reads -gradient and -with. Throws core::BadInput with the nearest name.
GradientRequest read_gradients(const core::Options& options, const dae::Problem& problem);

/// The parameters among what -with names.
std::vector<std::string> parameters_in_with(const core::Options& options);

/// The gradient of one figure.
struct FigureGradient {
  std::string figure;
  std::vector<std::pair<std::string, double>> by; ///< parameters, and initial values of fields with one unknown
  core::VecHandle by_initial_values;
};

/// Before the run: throws core::BadInput where there is no such figure. Checkpoints keep what it knows of the start.
class GradientWatch : public Observer {
public:
  GradientWatch(dae::Problem& problem, GradientRequest request) : problem_(problem), request_(std::move(request)) {}

  void begin(const bdf::Integrator& integrator, const io::Restart* from) override;
  void save(NamedScalars& numbers) override;
  const std::vector<double>& first_state() const { return saved_state_; } ///< what the problem remembered at the start

private:
  dae::Problem& problem_;
  GradientRequest request_;
  std::vector<double> saved_state_;
};

/// At the end of a run, at (t, y, y'). `first_state` is what the problem remembered at the start: figures that depend on
/// what it has accumulated since then are rejected. Collective.
std::vector<FigureGradient> sweep_back(bdf::Integrator& integrator, const GradientRequest& request,
                                       dae::Problem& problem, const std::vector<double>& first_state, double t, Vec y,
                                       Vec ydot);

/// The initial state with gradient_<figure>_<field> beside it, as the only snapshot of `folder`. Collective.
void write_gradients(const io::Path& folder, const GradientRequest& request,
                     const std::vector<FigureGradient>& gradients, dae::Problem& problem, double t_start,
                     io::SeriesInfo about);

} // namespace rhumb::run
