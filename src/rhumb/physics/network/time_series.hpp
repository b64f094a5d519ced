#pragma once
/// A value that changes with time: straight lines between given points, constant before the first and after the last.
/// Two points at one time make a jump. Where a line ends the derivative jumps, so the ends are times at which the
/// integrator starts anew; until then the line that is active is continued, and a step that looks beyond its end sees
/// nothing but a smooth function.

#include <string>
#include <vector>

namespace rhumb::network {

class TimeSeries {
public:
  TimeSeries(double constant = 0.0) : times_{0.0}, values_{constant} {} // NOLINT(google-explicit-constructor)
  /// Throws core::BadInput where times descend or the lists differ in length.
  TimeSeries(std::vector<double> times, std::vector<double> values);

  struct Line {
    double value = 0.0, rate = 0.0; ///< at t
  };
  /// At time t on the line that is active just after time `since`.
  Line at(double t, double since) const;

  bool constant() const { return times_.size() == 1; }
  bool jumps() const;
  const std::vector<double>& times() const { return times_; }
  const std::vector<double>& values() const { return values_; }
  void set_constant(double value) { values_.assign(values_.size(), value); }

private:
  std::vector<double> times_, values_;
};

/// Column `column` of a CSV file over its first column; an empty name is the second column. The first line has the
/// names. Throws core::BadInput.
TimeSeries read_csv(const std::string& file, const std::string& column);

} // namespace rhumb::network
