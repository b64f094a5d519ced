#pragma once
/// A mechanism as a DAE, in any of the forms of BCP section 6.2, from kernels (element.hpp):
///
///   std::vector<Part> parts;
///   parts.push_back(part(Pendulum{}, {0, 1}));
///   Mechanism pendulum(comm, {.parts = std::move(parts), .coordinates = {{"x"}, {"y"}}, .q = {1, 0}, .v = {0, 1}}, options);
///   integrate(pendulum, {.t_end = 10});
///
/// Start values are moved onto the constraints; lambda and the accelerations are found.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/root_problem.hpp>
#include <rhumb/physics/mechanics/element.hpp>
#include <rhumb/physics/mechanics/form.hpp>
#include <functional>

namespace rhumb::mechanics {

struct Coordinate {
  std::string name;
  std::string unit = "";
};

/// Values that are known at some time, by the names of fields, for reports.
struct Reference {
  double t = 0.0;
  std::vector<std::pair<std::string, double>> values;
};

struct Assembly {
  std::string name = "mechanism";
  std::vector<Part> parts;
  std::vector<Coordinate> coordinates;
  std::vector<std::string> multipliers = {}; ///< names; lambda_1, lambda_2, ... where there are none
  std::vector<double> q, v;                  ///< at the start
  double t_end = 1.0;
  dae::Tolerances tolerances = {.rtol = 1e-6, .atol = 1e-6};
  Reference reference = {};
  std::vector<std::pair<dae::Parameter, std::function<void(double)>>> parameters = {};
};

class Mechanism : public dae::RootProblem {
public:
  /// Reads -form and -baumgarte_rate.
  Mechanism(MPI_Comm comm, Assembly assembly, const core::Options& options);

  double t_end() const override { return assembly_.t_end; }
  dae::Tolerances default_tolerances() const override { return assembly_.tolerances; }
  dae::Preferences preferences() const override;
  dae::Offers offers() const override;
  dae::Kind equation_kind(PetscInt local) const override;
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override;

  /// phi and its first two derivatives, the largest of each.
  struct Residuals {
    double position = 0.0, velocity = 0.0, acceleration = 0.0;
  };

protected:
  void start(double t, std::span<double> y, std::span<double> ydot) const override;
  void evaluate(double t, Values y, Values ydot, std::span<double> f) const override;
  void linearise(double t, Values y, Values ydot, dae::SparseLinearisation& at) const override;
  void hidden(double t, Values y, Values ydot, std::span<double> f) const override;

private:
  /// Where the blocks of unknowns, and of rows, begin.
  struct Layout {
    std::size_t n = 0, m = 0;
    std::size_t v = 0, a = 0, lambda = 0, mu = 0, tau = 0, size = 0; ///< q is at 0
  };
  void lay_out();
  void name_fields();
  template <class T>
  LocalState<T> local_state(std::size_t part, double t, Values y, Values ydot) const;
  template <class T, class Add>
  void add_rows(std::size_t part, const LocalRows<T>& rows, const Add& add) const;
  void linearise_part(std::size_t part, double t, Values y, Values ydot, dae::SparseLinearisation& at) const;
  std::vector<std::size_t> unknowns_of(std::size_t part) const;
  Residuals off_constraints(double t, Values y, Values ydot) const;
  double kinetic_energy(Values y) const;

  Form form_;
  double baumgarte_rate_;
  Assembly assembly_;
  Layout at_;
  std::vector<std::size_t> first_multiplier_; ///< of each part
};

} // namespace rhumb::mechanics
