#pragma once
/// `-fit FILE -vary k,h=1:100`: parameters for which the time series of a run agree best with measurements, in the sense of
/// least squares in units of standard errors. Each try is a run of the problem with forward sensitivities; Gauss-Newton
/// chooses the next. After each, `fit.txt` in the run's folder says how far the fit has come: the same command continues
/// one that was interrupted. docs/guide/fits.md tells users.

#include <rhumb/io/folder_lock.hpp>
#include <rhumb/run/agreement.hpp>
#include <rhumb/run/fit_data.hpp>
#include <rhumb/run/fit_result.hpp>
#include <rhumb/run/fit_state.hpp>
#include <rhumb/run/least_squares.hpp>
#include <rhumb/run/preparation.hpp>

namespace rhumb::run {

/// Whether a fit is asked for.
bool is_fit(const core::Options& given);

class Fit {
public:
  /// `given` is what the user gave, read by nobody. Collective. Throws Ended.
  Fit(MPI_Comm comm, Agreement& agreement, const Make& make, core::Options given, Caller caller);

  /// Whether the user only wants to know if the input is good.
  bool only_check() const { return only_check_; }
  /// Finds the parameters.
  FitResult find();
  /// The options of a run with them, and with what else was given.
  core::Options options_of(const FitResult& result, const core::Options& given) const;
  /// The fit is over, and so is the run that follows it. Collective.
  static void forget(MPI_Comm comm, const io::Path& folder);

private:
  /// A run of the problem with these parameters.
  Residuals run_with(const std::vector<double>& values);
  std::optional<Residuals> try_with(const std::vector<double>& values);
  core::Options options_with(const std::vector<double>& values) const;
  void check_first(const Prepared& run);
  void claim_folder(const io::Path& folder, const core::Options& effective);
  void keep(const LeastSquaresState& at, double square);
  FitResult judge(const LeastSquaresSolution& solution) const;

  MPI_Comm comm_;
  Agreement& agreement_;
  const Make& make_;
  core::Options given_;
  Caller caller_;
  FitData data_;
  std::vector<FitParameter> parameters_;
  LeastSquaresState start_;
  std::optional<io::FolderLock> lock_;
  io::Path file_;                       ///< says how far the fit has come; empty without a folder
  std::string identity_;                ///< which fit it is, on rank 0
  std::optional<double> square_before_; ///< of a fit that goes on, where it does
  int runs_ = 0;
  bool begun_ = false; ///< has a value
  bool quiet_ = false, only_check_ = false;
};

} // namespace rhumb::run
