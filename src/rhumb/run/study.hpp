#pragma once
/// Many runs with one command: `-study sweep` makes a table over the values of -vary, `-study find` looks for the value
/// from which a condition holds. Each run is a call of `integrate` in a folder of its own, `<out>/re_100_n_64`, on all
/// ranks or on groups of them that work side by side. A run that fails is a row of the table with its reason. The same
/// command continues a study that was interrupted: what `row.txt` in a run's folder says is known, a run that left a
/// checkpoint goes on from there. docs/guide/studies.md tells users.

#include <rhumb/run/agreement.hpp>
#include <rhumb/run/preparation.hpp>
#include <rhumb/run/study_table.hpp>

namespace rhumb::run {

class Study {
public:
  /// `given` is what the user gave, read by nobody so far. Collective over `comm`. Throws Ended where it rejects
  /// something: before any run.
  Study(MPI_Comm comm, Agreement& agreement, const Make& make, core::Options given, Caller caller);
  ~Study();
  Study(const Study&) = delete;
  Study& operator=(const Study&) = delete;

  /// From the first run to the summary, or the check only.
  core::ExitCode conduct();

private:
  using Values = std::vector<std::string>;
  /// Why the runs stopped before all were done.
  enum class Stop : std::uint8_t { no, wall_limit, signal };

  void share_ranks();
  void try_first_run();
  void start_search();
  void claim_folder();
  Ending sweep();
  Ending search();
  /// Runs those that are not known yet, each on a group of ranks; then the table has them, or says why not. Collective.
  Stop run_all(const std::vector<Values>& runs);
  /// Those of this rank's group. Collective over the group.
  Stop run_share(const std::vector<Values>& runs, const std::string& known);
  StudyRow run_one(const Values& values);
  core::Options options_for(const Values& values) const;
  Stop stop_wanted() const;
  Ending stopped(Stop stop) const;
  /// Whether the condition holds; throws Ended where the run does not decide.
  bool decide(const StudyTable::Line& line) const;

  /// Adds what is known of these runs. One rank calls it.
  void read_lines(StudyTable& table, const std::vector<Values>& runs) const;
  void write_table(const StudyTable& table) const;
  void write_summary(const Ending& ending) const;
  dae::Figures results() const;
  double elapsed() const;
  io::Path folder_of(const Values& values) const { return out_ / folder_name(plan_.variations, values); }
  std::string text_of(const Values& values) const;
  std::string line_of(const Values& values, const StudyRow& row) const;
  void print(const std::string& text) const;

  MPI_Comm comm_;
  Agreement& agreement_;
  const Make& make_;
  core::Options given_;
  Caller caller_;
  StudyPlan plan_;
  MPI_Comm group_ = MPI_COMM_NULL; ///< the ranks that this one runs with
  std::size_t groups_ = 1, group_index_ = 0;
  std::optional<Agreement> group_agreement_;
  core::Options effective_; ///< of the first run, with the study's own
  Settings settings_;       ///< likewise
  std::string problem_;
  bool only_check_ = false;
  io::Path out_;
  std::optional<Search> search_;
  StudyTable table_;
};

} // namespace rhumb::run
