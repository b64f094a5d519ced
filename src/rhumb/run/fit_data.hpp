#pragma once
/// Measurements for -fit, and what of a run is compared with them. Pure but for `parse` of a file that was read.
///
///   # comment
///   t, probe_1, probe_1_error, probe_2
///   0.1, 20.3, 0.1, 21.0
///
/// The first column is the time; the others are named after time series of the problem or variables of a small system,
/// and NAME_error has their standard errors. An empty cell is no measurement.

#include <string>
#include <vector>

namespace rhumb::run {

struct FitData {
  struct Series {
    std::string name;
    std::vector<double> values; ///< NaN: not measured
    std::vector<double> errors; ///< empty: not known
  };
  std::vector<double> times; ///< ascending
  std::vector<Series> series;

  /// Whether all series have standard errors.
  bool has_errors() const;
  std::size_t measurements() const;

  /// Throws core::BadInput that names the line; `file` is for messages.
  static FitData parse(const std::string& text, const std::string& file);
};

/// A parameter to be found, from -vary: NAME, or NAME=LOW:HIGH.
struct FitParameter {
  std::string name;
  double lower, upper;

  /// "k,h=1:100". Throws core::BadInput.
  static std::vector<FitParameter> parse(const std::string& text);
};

} // namespace rhumb::run
