#pragma once
/// A circuit in SPICE's spelling as a DAE by modified nodal analysis. Unknowns: the potentials of the nodes; voltage u and
/// current i of every capacitor, those of devices too; current i and voltage v of every inductor; the currents of voltage
/// sources; the charges of capacitors that are not constant, over a typical capacitance C, so that w = Q/C is a voltage.
/// Equations:
///   node:       the currents that leave it add up to zero
///   capacitor:  C u' = i,   u = e(from) - e(to);   not constant: C w' = i,   C w = Q(u),   u = e(from) - e(to)
///               (in a loop, see below, where constraints must be of what has derivatives: C(u) u' = i)
///   inductor:   L i' + sum of M i' of coupled ones = v,   v = e(from) - e(to)
///   source:     e(from) - e(to) = E(t), or what controls it; of an ideal amplifier: e(plus) = e(minus)
/// So charge stands in linear equations.
/// Index 2 shows its constraints: the second equation of a capacitor that closes a loop becomes the sum around the loop,
/// and the equation of one node of a cutset the sum over the cutset (LP1 section 3.1).

#include "network.hpp"
#include "printing.hpp"
#include <rhumb/core/options.hpp>
#include <rhumb/dae/root_problem.hpp>
#include <optional>

namespace rhumb::problems::spice {

class SpiceCircuit final : public dae::RootProblem {
public:
  SpiceCircuit(MPI_Comm comm, Network network, const core::Options& options);

  double t_end() const override { return net_.deck.end; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-6, .atol = 1e-9}; }
  dae::Offers offers() const override;
  dae::Kind equation_kind(PetscInt local) const override { return rows_[local]; }
  std::vector<std::string> remarks() const override;
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override;

  /// Corners of sources: the equations change there.
  std::vector<dae::Event> events() const override;
  void event_values(double t, Vec y, Vec ydot, std::span<double> values) override;
  dae::AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot) override;
  std::vector<double> saved_state() const override;
  void restore_state(std::span<const double> memory) override;
  /// What .print asks for, at the times of .tran.
  std::vector<double> watch_times() const override { return print_times(net_.deck); }
  void watch(double t, Vec y, Vec ydot) override;
  void set_parameter(std::size_t index, double value) override;

protected:
  void start(double t, std::span<double> y, std::span<double> ydot) const override;
  void evaluate(double t, Values y, Values ydot, std::span<double> f) const override;
  void linearise(double t, Values y, Values ydot, dae::SparseLinearisation& at) const override;
  void hidden(double t, Values y, Values ydot, std::span<double> f) const override;

private:
  /// Generic: the structure alone, with numbers of order one in place of the elements' values.
  enum class Coefficients : char { actual, generic };

  std::size_t capacitor(std::size_t c) const { return nodes_ + 2 * c; } ///< its voltage; its current is the next
  std::size_t inductor(std::size_t l) const { return nodes_ + 2 * net_.capacitors.size() + 2 * l; }
  std::size_t source(std::size_t s) const {
    return nodes_ + 2 * net_.capacitors.size() + 2 * net_.inductors.size() + s;
  }
  /// w.
  std::size_t charge(std::size_t c) const { return charges_[c]; }
  bool has_charge(std::size_t c) const { return charges_[c] > 0; }
  std::size_t unknowns() const { return unknowns_; }

  void place_charges();
  void name_parameters();
  void find_kinds();
  void name_fields(const std::vector<int>& index);
  void add_entries(Values y, Values ydot, Coefficients which, dae::SparseLinearisation& at) const;
  void add_device_entries(const Device& device, Values y, Coefficients which, dae::SparseLinearisation& at) const;
  double potential(Values y, int node) const { return node > 0 ? y[static_cast<std::size_t>(node) - 1] : 0.0; }
  double mutual(const Coupling& k) const;
  /// Of a source at t, on the piece between two corners that the run is in.
  double driven(const Waveform& wave, double t) const;
  double driven_rate(const Waveform& wave, double t) const;
  double around(const std::vector<LoopStep>& loop, double t, Values u, bool rates) const;
  void find_next_kink(double t);
  /// w of u, for all.
  void set_charges(std::span<double> y) const;
  std::vector<double> operating_point() const;
  bool newton(std::vector<double>& y, double shunt) const;

  Network net_;
  std::size_t nodes_;
  std::vector<std::size_t> charges_; ///< of each capacitor where its w is, or 0 where it has none
  std::size_t unknowns_ = 0;
  std::vector<int> closes_; ///< of each capacitor the loop that it closes, or -1
  std::vector<int> lead_;   ///< of each node the first node of its cutset, or 0
  std::vector<dae::Kind> rows_;
  int index_ = 1;
  double last_kink_ = 0.0, next_kink_ = -1.0; ///< -1: none
  PrintedValues printed_;
  mutable double source_scale_ = 1.0; ///< while the operating point is sought
  mutable bool steady_ = false;       ///< then .ic holds its nodes
  mutable std::optional<std::vector<double>> point_;
};

} // namespace rhumb::problems::spice
