#pragma once
/// `-error_bars`: what the tolerance and the grid did to each figure of a run, found by two more runs of the same
/// problem.
///
/// In time: a run at a tenth of all tolerances; the figures' differences are the errors, for a run at a tenth of the
/// tolerance is about ten times as accurate. In space: a run on a grid whose cells are r times as wide; for a method of
/// second order the error is the difference over |r^2 - 1| (Richardson). r is 2 where the grid is given by -n, and 1/2
/// where a mesh from a file has not been refined yet. Figures of any kind will do, extrema over time too.

#include <rhumb/run/agreement.hpp>
#include <rhumb/run/preparation.hpp>
#include <rhumb/run/solution.hpp>

namespace rhumb::run {

/// The same problem on another grid: an option with its new value, and how much wider the cells are.
struct OtherGrid {
  std::string option;
  std::string value;
  double ratio = 1.0;
};

/// From the options that a run has read; nothing for a problem without a grid, or with the coarsest already.
std::optional<OtherGrid> other_grid(const std::vector<core::Declared>& options);

/// The error in space that the difference of two grids' figures says.
double error_in_space(double figure, double on_other_grid, double ratio);

/// Two runs may agree on an extremum of a field by chance, or since a boundary holds it: NAME_min and NAME_max have no bars
/// in time that are further apart than this.
inline constexpr double least_of_other_extremum = 0.05;
void keep_extrema_together(std::vector<ErrorBar>& bars);

class ErrorBarRuns {
public:
  /// `given` is what the user gave, read by nobody.
  ErrorBarRuns(MPI_Comm comm, Agreement& agreement, const Make& make, core::Options given, Caller caller);

  /// The errors of a run that has reached its end; `remarks` say why one of the two could not be found.
  std::vector<ErrorBar> find(const Prepared& run, const Solution& solution, std::vector<std::string>& remarks);

private:
  /// Another run of the problem that writes nothing. Throws Ended where it cannot begin or does not reach its end.
  dae::Figures figures_of(core::Options options, const dae::Tolerances& tolerances, const std::string& purpose);

  MPI_Comm comm_;
  Agreement& agreement_;
  const Make& make_;
  core::Options given_;
  Caller caller_;
};

} // namespace rhumb::run
