#pragma once
/// The discrete state of a network: how each machine and boundary works, which lines of time series are active, and
/// the events that change both.

#include <rhumb/dae/system.hpp>
#include <rhumb/physics/network/laws.hpp>
#include <span>
#include <string>
#include <vector>

namespace rhumb::network {

/// Pressures (true ones, not reduced) and temperatures of all nodes, flows of all machines.
struct HeadValues {
  std::span<const double> pressure;
  std::span<const double> temperature;
  std::span<const double> machine_flow;
};

class Controls {
public:
  explicit Controls(const Network& network);

  /// Time series are read from here on.
  void begin(double t);

  Mode machine(std::size_t i) const { return modes_[i]; }
  Mode boundary(std::size_t i) const { return modes_[network_->machines.size() + i]; }
  /// Of a machine: ratio, outlet pressure or opening. Of a boundary: flow into the network, pressure, or 1 where a hole
  /// is open.
  TimeSeries::Line machine_control(std::size_t i, double t) const {
    return control_of(network_->machines[i], t, since_);
  }
  TimeSeries::Line boundary_value(std::size_t i, double t) const;
  /// Of what comes in there, K.
  double boundary_temperature(std::size_t i, double t) const;

  /// The first is that of the schedule.
  std::vector<dae::Event> events() const;
  /// Falls through zero where the event happens.
  void margins(double t, const HeadValues& at, std::span<double> values) const;
  void handle(std::span<const int> which);
  /// Makes all changes whose margin is negative; whether there was one.
  bool settle(double t, const HeadValues& at);

  /// Nodes whose pressures are bound, with what binds them: "node 'a' by supply 'x'"; empty: index 1.
  std::vector<std::string> bindings() const;
  /// Throws core::BadInput, with names, where the same pressure is set twice or flows around a loop are undetermined.
  void check_bindings() const;

  std::vector<double> saved_state() const;
  void restore_state(std::span<const double> memory);

private:
  /// A change of one machine's or hole's mode that an event makes.
  struct Transition {
    std::size_t element; ///< machines first, then boundaries
    Mode from, to;
  };
  void add(std::size_t element, std::initializer_list<std::pair<Mode, Mode>> changes);
  void add_machine(std::size_t i);
  std::string name_of_element(std::size_t element) const;
  double next_time() const;
  void use_valves();
  double margin(const Transition& change, double t, const HeadValues& at) const;
  double compressor_margin(const Transition& change, double control, const HeadValues& at) const;
  double orifice_margin(const Transition& change, double p1, double p2) const;

  const Network* network_;
  std::vector<double> times_; ///< of all kinks, ascending
  double since_ = 0.0;        ///< the last of them that has passed
  std::vector<Mode> modes_;   ///< of machines, then of boundaries
  std::vector<Transition> transitions_;
};

} // namespace rhumb::network
