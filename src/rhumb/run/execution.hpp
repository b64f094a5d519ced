#pragma once
/// One run from its settings to its solution: what `integrate` does, in the steps that a driver needs apart.

#include <rhumb/dae/structure.hpp>
#include <rhumb/io/folder_lock.hpp>
#include <rhumb/run/gradients.hpp>
#include <rhumb/run/integrate.hpp>
#include <rhumb/run/kept_states.hpp>
#include <rhumb/run/loop.hpp>
#include <rhumb/run/scalar_series.hpp>
#include <rhumb/run/time_integrals.hpp>

namespace rhumb::run {

class Execution {
public:
  /// Makes the integrator. Throws Ended, on all ranks, where it rejects something.
  Execution(dae::Problem& problem, Settings settings, Observers observers);

  /// With the problem's initial values: how much output the run would write; empty where it writes none.
  std::string plan_output();

  /// Rank, index and kinds of the equations near the initial values.
  dae::Structure structure();

  /// Runs to the end. Throws Ended where the run could not begin and its folder is as it was.
  Solution run();
  /// The same in parts, for a caller that does something between steps: `begin`, `step` until it is false, `finish`.
  /// Between the calls PETSc reads the options of the program around.
  void begin();
  bool step();
  Solution finish();
  /// Where the run stands; valid after `begin`.
  const bdf::Integrator& integrator() const { return *integrator_; }
  /// For observers that differentiate; valid at once.
  bdf::Integrator& integrator() { return *integrator_; }

private:
  Observers all_observers();
  void add_writers(Observers& out);
  io::Additions additions(double t, Vec y, Vec ydot);
  io::SeriesInfo about() const;
  void announce() const;
  void warn_of_output();
  /// What it may want to know of the run.
  void tell_problem();
  void reject_unread(bool after_first_step) const;
  dae::Figures report(const Loop& loop, Ending& ending);
  std::vector<ParameterDerivatives> differentiate(const Loop& loop, Ending& ending);
  void sweep_back(const Loop& loop, Summary& summary);
  Summary summarize(const Loop& loop, const Ending& ending);
  void write_summary(Summary& summary);
  bool speaks() const { return agreement_.rank() == 0 && !settings_.quiet; }

  dae::Problem& problem_;
  Settings settings_;
  Observers observers_;
  core::VecHandle model_; ///< the layout of y, and its communicator
  MPI_Comm comm_;
  Agreement agreement_;
  std::optional<bdf::Integrator> integrator_;
  std::shared_ptr<TimeIntegrals> integrals_; ///< null: none
  std::shared_ptr<EventAssignments> assignments_;
  std::optional<io::FolderLock> lock_;
  Observers watching_;                   ///< all of them
  std::shared_ptr<ScalarSeries> series_; ///< null: not asked for
  std::shared_ptr<KeptStates> kept_;
  std::shared_ptr<GradientWatch> gradients_; ///< where there are some
  std::optional<Checkpoints> checkpoints_;
  std::optional<Loop> loop_;
};

/// run.json into the folder. Collective.
void write_run_json(MPI_Comm comm, const std::string& folder, const Summary& summary);

/// The solution of a run that could not begin.
Solution failed(const dae::Problem& problem, const Settings& settings, const Ending& ending);

} // namespace rhumb::run
