#pragma once
/// `-fit FILE -vary k,h=1:100`: parameters for which the time series of a run agree best with measurements, in the sense of
/// least squares in units of standard errors. Each try is a run of the problem with forward sensitivities; Gauss-Newton
/// chooses the next. docs/guide/fits.md tells users.

#include <rhumb/run/agreement.hpp>
#include <rhumb/run/fit_data.hpp>
#include <rhumb/run/fit_result.hpp>
#include <rhumb/run/least_squares.hpp>
#include <rhumb/run/preparation.hpp>

namespace rhumb::run {

/// Whether a fit is asked for.
bool is_fit(const core::Options& given);

class Fit {
public:
  /// `given` is what the user gave, read by nobody. Collective. Throws Ended.
  Fit(MPI_Comm comm, Agreement& agreement, const Make& make, core::Options given, Caller caller);

  /// Finds the parameters.
  FitResult find();
  /// The options of a run with them, and with what else was given.
  core::Options options_of(const FitResult& result, const core::Options& given) const;

private:
  /// A run of the problem with these parameters.
  Residuals run_with(const std::vector<double>& values);
  std::optional<Residuals> try_with(const std::vector<double>& values);
  core::Options options_with(const std::vector<double>& values) const;
  void check_first(const Prepared& run);
  FitResult judge(const LeastSquaresSolution& solution) const;

  MPI_Comm comm_;
  Agreement& agreement_;
  const Make& make_;
  core::Options given_;
  Caller caller_;
  FitData data_;
  std::vector<FitParameter> parameters_;
  std::vector<double> start_;
  int runs_ = 0;
  bool quiet_ = false;
};

} // namespace rhumb::run
