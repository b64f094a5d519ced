#pragma once
/// The parameters of a System: numbers in its equations, initial values or figures that a user may set, vary and
/// differentiate by. A system names them once, as it reads its options:
///
///   parameters_.bind(options, "D", D_, {"diffusivity", "m^2/s"}, core::Range::positive());

#include <rhumb/core/options.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace rhumb::dae {

struct Parameter {
  std::string name;
  std::string unit = "";
  std::string description = "";
  double value = 0.0;
  double lower = -std::numeric_limits<double>::infinity(); ///< the equations make sense between these two
  double upper = std::numeric_limits<double>::infinity();
};

class ParameterSet {
public:
  /// Reads the option `name`, whose default is what `value` holds, into `value`, and names it as a parameter. `value`
  /// must live as long as the set.
  void bind(const core::Options& options, const std::string& name, double& value, const core::About& about,
            const core::Range& range = {});
  /// A parameter that is read elsewhere; `set` brings a new value into the equations.
  void add(Parameter parameter, std::function<void(double)> set);
  void add(Parameter parameter, double& value);
  /// Called after every change, to make anew what was computed from parameters.
  void on_change(std::function<void()> refresh) { refresh_.push_back(std::move(refresh)); }

  std::vector<Parameter> list() const;
  void set(std::size_t index, double value);

private:
  struct Entry {
    Parameter parameter;
    std::function<void(double)> set;
  };
  std::vector<Entry> entries_;
  std::vector<std::function<void()>> refresh_;
};

} // namespace rhumb::dae
