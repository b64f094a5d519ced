#pragma once
/// The heat equation of a case as a problem to run. Which kernel its coefficients need is found once, when it is made.

#include <rhumb/dae/problem.hpp>
#include <rhumb/physics/heat/coefficients.hpp>
#include <rhumb/physics/heat/errors.hpp>
#include <rhumb/physics/heat/findings.hpp>
#include <rhumb/physics/heat/probes.hpp>
#include <memory>

namespace rhumb::heat {

/// Reads a case from the options and makes the problem.
std::unique_ptr<dae::Problem> make_heat(MPI_Comm comm, const core::Options& options);
/// Whether the options, read by `make_heat`, gave any part of the equation: a coefficient, a source, a side, a start.
bool has_equation(const core::Options& options);
std::unique_ptr<dae::Problem> make_heat_of(MPI_Comm comm, Case heat_case);

/// Policies: which kernel a segment gets.
struct UniformCoefficients {
  template <int D>
  static UniformKernel kernel(const Coefficients& coefficients, const grid::Segment<D>&) {
    return coefficients.uniform_kernel();
  }
};
template <Derivatives derivatives_of>
struct TabledCoefficients {
  template <int D>
  static TableKernel<D, derivatives_of> kernel(const Coefficients& coefficients, const grid::Segment<D>& segment) {
    return coefficients.table_kernel<D, derivatives_of>(segment);
  }
};

/// A case with its box and its tables, before the kernel is chosen: the tables point into the case and the box.
struct Parts {
  explicit Parts(Case read, const grid::Box& grid_box)
      : heat_case(std::move(read)), coefficients(heat_case, grid_box, 0.0), errors(heat_case, grid_box, coefficients),
        probes(heat_case.probes, grid_box) {}
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  Case heat_case;
  Coefficients coefficients;
  Errors errors;
  BoxProbes probes;
};

template <class Policy>
class Heat final : public box::KernelSystem<Heat<Policy>, 1> {
  using Base = box::KernelSystem<Heat<Policy>, 1>;

public:
  Heat(MPI_Comm comm, Case read)
      : Base(comm, read.shape, {{"T", "K", "temperature"}}), parts_(std::move(read), this->box()) {}

  std::string name() const override { return parts_.heat_case.problem; }
  double t_end() const override { return 1.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-5, .atol = 1e-6}; }
  std::vector<double> watch_times() const override { return parts_.heat_case.watch_times; }
  void watch(double t, Vec y, Vec /*ydot*/) override { take_errors(t, y); }
  void after_step(double t, Vec y, Vec ydot) override { findings_.after_step(t, powers(t, y, ydot)); }
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override;
  std::vector<double> saved_state() const override { return findings_.saved_state(); }
  void restore_state(std::span<const double> values) override { findings_.restore_state(values); }

  // What KernelSystem asks for.
  double initial(const box::Point& p) const { return parts_.coefficients.initial(p.index); }
  void prepare(double t, const box::Nodal& T, core::Need need) { parts_.coefficients.update(t, T, need); }
  template <int D>
  auto on(const grid::Segment<D>& segment) const {
    return Policy::kernel(parts_.coefficients, segment);
  }

  /// The flow of heat now, over all ranks; all NaN where a coefficient is refused at this state.
  Powers powers(double t, Vec y, Vec ydot);
  double stored(Vec y) const;

private:
  void take_errors(double t, Vec y);
  double dirichlet_power(double t, Vec y, Vec ydot);
  Powers local_powers(double t, Vec y, Vec ydot);

  Parts parts_;
  Findings findings_;
};

} // namespace rhumb::heat
