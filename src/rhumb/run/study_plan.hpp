#pragma once
/// What a study is told: the options -study, -vary, -until and -study_..., which every driver has.

#include <rhumb/core/options.hpp>
#include <rhumb/run/named_study.hpp>
#include <rhumb/run/search.hpp>
#include <rhumb/run/variation.hpp>
#include <cstdint>
#include <optional>

namespace rhumb::run {

struct StudyPlan {
  enum class Kind : std::uint8_t { none, sweep, find };
  Kind kind = Kind::none;
  std::string name = "none"; ///< as the user says it
  std::vector<Variation> variations;
  Combine combine = Combine::all;
  std::optional<Condition> until;
  double width = 0.01;
  long ranks = 0;        ///< of each run; 0: all
  NamedStudy names = {}; ///< of a search
};

/// Reads (and so declares) the options of a study. Throws core::BadInput, also where some are given without -study.
StudyPlan read_study_plan(const core::Options& options, const std::vector<NamedStudy>& named);

/// Whether a study is asked for.
bool is_study(const core::Options& given);

/// Whether the option is one of a study, not of its runs.
bool is_study_option(const std::string& name);

/// The options of a run with these values: those of the study without its own.
core::Options options_of_run(const core::Options& given, const StudyPlan& plan, const std::vector<std::string>& values);

/// Gives an option a varied value. -vary may stand in a case file: PETSc gets no more of it than of a case file.
void set_varied(core::Options& options, const std::string& name, const std::string& value);

/// Throws core::BadInput where one is varied that neither a driver nor the linear solver has. After the first run was
/// built.
void check_varied(const core::Options& effective, const StudyPlan& plan);

/// Throws core::BadInput where an option is given or varied that a study chooses itself.
void check_free_options(const core::Options& given, const StudyPlan& plan);

/// All that decides how a run ends but for the varied values: what was given, and checksums of the files that effective
/// options name. Studies with the same text may share a folder. One rank calls it.
std::string identity_of(const core::Options& effective, const StudyPlan& plan);

/// Throws core::BadInput with the first line that differs. `kind` is what the folder holds.
void require_same(const std::string& known, const std::string& mine, const std::string& folder,
                  const std::string& kind);

} // namespace rhumb::run
