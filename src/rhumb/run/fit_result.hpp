#pragma once
/// What a fit has found, for run.json and the terminal.

#include <string>
#include <vector>

namespace rhumb::run {

struct FitResult {
  struct Parameter {
    std::string name;
    double value = 0.0;
    double error = 0.0; ///< standard error; infinite where the data do not determine it
    bool at_bound = false;
  };
  std::vector<Parameter> parameters = {};
  std::vector<std::vector<double>> covariance = {};
  double chi_squared = 0.0; ///< of residuals in units of their standard errors; of residuals alone where none are given
  long measurements = 0;
  int iterations = 0, runs = 0;
  bool converged = false;
  std::vector<std::string> remarks = {};
  bool any() const { return !parameters.empty(); }
};

} // namespace rhumb::run
