#pragma once
/// A mechanism as a DAE, in any of the forms of BCP section 6.2, from kernels (element.hpp):
///
///   std::vector<Part> parts;
///   parts.push_back(part(Pendulum{}, {0, 1}));
///   Mechanism pendulum(comm, {.parts = std::move(parts), .coordinates = {{"x"}, {"y"}}, .q = {1, 0}, .v = {0, 1}}, options);
///   integrate(pendulum, {.t_end = 10});
///
/// Start values are moved onto the constraints; lambda and the accelerations are found. Contacts close and open at located
/// events, which change the equations and their index: while one is open its lambda is zero.

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

/// A part with one constraint, the gap between two bodies, that acts only while they touch: phi >= 0, and it can push but
/// not pull. Bodies that meet bounce with the share `restitution` of the speed at which the gap closed.
struct Contact {
  std::string name;
  std::size_t part = 0;
  double restitution = 0.0; ///< 0 ... 1
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
  std::vector<Contact> contacts = {};
  double resting_speed = 1e-3; ///< bodies that would part more slowly after an impact stay together
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

  /// A contact's gap closes, or its force comes to an end.
  std::vector<dae::Event> events() const override;
  void event_values(double t, Vec y, Vec ydot, std::span<double> values) override;
  dae::AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot) override;
  std::vector<double> saved_state() const override;
  void restore_state(std::span<const double> saved) override;

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
  /// Positions, velocities, accelerations and lambda of the whole.
  struct Motion {
    std::vector<double> q, v, a, lambda;
  };
  void lay_out();
  bool is_open(std::size_t multiplier) const { return open_[multiplier] != 0; }
  std::size_t multiplier_of(const Contact& contact) const { return first_multiplier_[contact.part]; }
  void close_contacts_at_start();
  void find_forces(double t, Motion& motion) const;
  void let_go_of_pulled(double t, Motion& motion);
  void bounce(double t, const std::vector<std::size_t>& meeting, Motion& motion);
  void write(const Motion& motion, std::span<double> y, std::span<double> ydot) const;
  std::vector<double> closed_rows(std::vector<double> rows) const;
  template <class T>
  T constraint_row(const LocalRows<T>& rows, std::size_t k) const;
  void name_fields();
  template <class T>
  LocalState<T> local_state(std::size_t part, double t, Values y, Values ydot) const;
  template <class T, class Add>
  void add_rows(std::size_t part, const LocalState<T>& state, const Add& add) const;
  void linearise_part(std::size_t part, double t, Values y, Values ydot, dae::SparseLinearisation& at) const;
  std::vector<std::size_t> unknowns_of(std::size_t part) const;
  Residuals off_constraints(double t, Values y, Values ydot) const;
  double kinetic_energy(Values y) const;

  Form form_;
  double baumgarte_rate_;
  Assembly assembly_;
  Layout at_;
  std::vector<std::size_t> first_multiplier_; ///< of each part
  std::vector<char> open_;                    ///< of each multiplier: its contact does not touch
  std::vector<double> impacts_;               ///< of each contact, so far
};

} // namespace rhumb::mechanics
