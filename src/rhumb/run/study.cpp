#include <rhumb/run/study.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/input_file.hpp>
#include <rhumb/io/folder_lock.hpp>
#include <rhumb/io/ownership.hpp>
#include <rhumb/run/console.hpp>
#include <rhumb/run/execution.hpp>
#include <rhumb/run/signals.hpp>
#include <rhumb/version.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

namespace rhumb::run {

using core::ExitCode;
using Clock = Settings::Clock;

Study::Study(MPI_Comm comm, Agreement& agreement, const Make& make, core::Options given, Caller caller)
    : comm_(comm), agreement_(agreement), make_(make), given_(std::move(given)), caller_(std::move(caller)) {
  agreement.phase([&] {
    plan_ = read_study_plan(core::Options(given_), caller_.studies);
    check_free_options(given_, plan_);
  });
  share_ranks();
  try {
    agreement.phase([&] { try_first_run(); });
  } catch (...) {
    group_agreement_.reset();
    MPI_Comm_free(&group_);
    throw;
  }
}

Study::~Study() {
  group_agreement_.reset();
  MPI_Comm_free(&group_);
}

void Study::share_ranks() {
  const int size = agreement_.size(), each = plan_.ranks == 0 ? size : static_cast<int>(plan_.ranks);
  agreement_.phase([&] {
    if (each > size || size % each != 0)
      throw core::BadInput(fmt::format("option -study_ranks {}: {} cannot be shared into groups of so many",
                                       plan_.ranks, size == 1 ? "1 rank" : fmt::format("{} ranks", size)));
  });
  groups_ = static_cast<std::size_t>(size / each);
  group_index_ = static_cast<std::size_t>(agreement_.rank() / each);
  core::check_mpi(MPI_Comm_split(comm_, agreement_.rank() / each, agreement_.rank(), &group_));
  group_agreement_.emplace(group_, caller_.app);
}

/// Builds the first run, as a check of all that was given: unknown names, the varied ones among them, end here.
void Study::try_first_run() {
  effective_ = given_;
  for (const auto& [name, value] : plan_.names.options) effective_.set(name, value);
  for (const auto& variation : plan_.variations)
    if (!variation.values.empty()) set_varied(effective_, variation.name, variation.values.front());
  const Prepared first = prepare(group_, make_, effective_, caller_);
  problem_ = first.problem->name();
  settings_ = first.settings;
  only_check_ = first.only_check;
  out_ = settings_.out;
  if (settings_.out.empty()) throw core::BadInput("option -out: a study needs a folder");
  table_.is_search = plan_.kind == StudyPlan::Kind::find;
  for (const auto& variation : plan_.variations) table_.parameters.push_back(variation.name);
  if (table_.is_search) start_search();
  Execution(*first.problem, settings_, {}); // reads what is the linear solver's, and rejects what nobody has read
  check_varied(effective_, plan_);
}

void Study::start_search() {
  Variation& varied = plan_.variations.front();
  if (varied.values.empty()) { // from the option's value on
    const auto& declared = effective_.declared();
    const auto option = std::ranges::find(declared, varied.name, &core::Declared::name);
    if (option == declared.end())
      throw core::BadInput(fmt::format("option -study {}: {} has no -{}", plan_.name, problem_, varied.name));
    varied.values = {option->value};
  }
  const double first = core::parse_real(varied.values.front()).value_or(0.0);
  if (varied.is_interval) {
    search_.emplace(first, *core::parse_real(varied.values.back()), plan_.width);
  } else if (first > 0.0) {
    search_.emplace(first, plan_.width);
  } else {
    throw core::BadInput(
        fmt::format("option -{} {}: a study starts from more than 0", varied.name, varied.values.front()));
  }
}

ExitCode Study::conduct() {
  if (only_check_) {
    print(caller_.app + ": the input is good\n");
    return ExitCode::done;
  }
  const Signals signals;
  print(remark_on_compiler(caller_));
  std::optional<io::FolderLock> lock;
  agreement_.phase([&] {
    io::make_folder(comm_, out_);
    lock.emplace(comm_, out_);
    claim_folder();
  });
  Ending ending;
  try {
    ending = table_.is_search ? search() : sweep();
  } catch (const Ended& ended) {
    ending = {ended.code(), reason_of(ended.code()), ended.what()};
  } catch (...) { // the same on all ranks
    const auto code = core::exit_code_of_current_exception();
    ending = {code, reason_of(code), core::message_of_current_exception()};
  }
  if (!ending.message.empty() && agreement_.rank() == 0) print_error(caller_.app, ending.message);
  agreement_.phase([&] { write_summary(ending); });
  return ending.code;
}

/// A folder belongs to one study: runs of another would be taken for its own.
void Study::claim_folder() {
  core::run_on_root(comm_, [&] {
    io::reject_foreign_files(out_);
    const io::Path file = out_ / "study.txt";
    const std::string mine = identity_of(effective_, plan_);
    if (std::filesystem::exists(file))
      return require_same(core::read_input_file(file, core::max_text_size, "a study"), mine, out_.string(), "study");
    io::draft_text(file, mine);
    io::put_in_place(file);
  });
}

Ending Study::sweep() {
  const auto runs = combinations(plan_.variations, plan_.combine);
  std::set<std::string> folders;
  for (const auto& values : runs)
    if (!folders.insert(folder_of(values)).second)
      throw core::BadInput(fmt::format("option -vary: two runs would have the folder {}", folder_of(values).string()));
  const Stop stop = run_all(runs);
  const auto failures = std::ranges::count_if(table_.lines, [](const auto& line) { return line.row.failed(); });
  print(fmt::format("{} of {} runs are done, {} of them failed; table in {}\n", table_.lines.size(), runs.size(),
                    failures, (out_ / "study.csv").string()));
  return stop == Stop::no ? Ending{} : stopped(stop);
}

Ending Study::search() {
  constexpr std::size_t max_runs = 60;
  while (!search_->finished() && table_.lines.size() < max_runs) {
    const auto numbers = search_->next(groups_);
    const std::size_t before = table_.lines.size();
    std::vector<Values> runs;
    for (const double value : numbers) runs.push_back({fmt::format("{}", value)});
    const Stop stop = run_all(runs);
    if (table_.lines.size() != before + runs.size()) return stopped(stop);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      auto& line = table_.lines[before + i];
      line.holds = decide(line);
      search_->take(numbers[i], *line.holds);
    }
    core::run_on_root(comm_, [&] { write_table(table_); });
  }
  if (!search_->finished()) throw core::SolverGaveUp(fmt::format("no bracket of {} was found", plan_.names.found));
  const auto [low, high] = *search_->bracket();
  print(fmt::format("{} between {:.6g} and {:.6g}, {} runs, table in {}\n", plan_.names.found, low, high,
                    table_.lines.size(), (out_ / "study.csv").string()));
  return {};
}

bool Study::decide(const StudyTable::Line& line) const {
  const Ending& ending = line.row.ending;
  if (line.row.failed())
    throw Ended(ending.code, fmt::format("the run with {} failed: {}", text_of(line.values), ending.message));
  const auto holds = plan_.until->holds(line.row.figures());
  if (!holds)
    throw Ended(ExitCode::bad_input, fmt::format("the run with {} {}", text_of(line.values), plan_.names.undecided));
  return *holds;
}

} // namespace rhumb::run
