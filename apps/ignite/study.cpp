#include "study.hpp"

#include "cases.hpp"
#include "core/check.hpp"
#include "core/failure.hpp"
#include "core/words.hpp"
#include "run/run.hpp"
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <optional>
#include <yaml-cpp/yaml.h>

namespace rhumb::ignite_cases {

namespace {

using core::ExitCode;
namespace files = std::filesystem;

/// One run of the study.
struct Trial {
  double energy = 0.0;
  std::string fate; ///< "ignited", "died", "open"; empty: not finished
  double t = 0.0, wall_seconds = 0.0;
};

/// The words of the command line: those of the study, and those that every run gets.
struct Words {
  std::vector<std::string> passed; ///< program, case file, options
  double first = 1e-4, width = 0.01;
  files::path out = "out";
  bool quiet = false;
};

double number(const std::string& option, const std::string& word) {
  const auto value = core::parse_real(word);
  if (!value || !(*value > 0.0)) throw core::BadInput(fmt::format("option {} {}: must be a number > 0", option, word));
  return *value;
}

Words take_apart(int argc, char** argv) {
  Words words;
  words.passed.emplace_back(argv[0]);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool own = word == "-study" || word == "-study_width" || word == "-energy" || word == "-out";
    if (!own) {
      if (word == "-stop_at_fate" || word == "-restart")
        throw core::BadInput(fmt::format("option {}: a study chooses it itself", word));
      if (word == "-quiet") words.quiet = true;
      words.passed.push_back(word);
      continue;
    }
    if (i + 1 == argc) throw core::BadInput(fmt::format("option {}: a value is wanted", word));
    const std::string value = argv[++i];
    if (word == "-study" && value != "mie") throw core::BadInput(fmt::format("option -study {}: must be mie", value));
    if (word == "-study_width") words.width = number(word, value);
    if (word == "-energy") words.first = number(word, value);
    if (word == "-out") words.out = value;
  }
  if (words.width >= 1.0) throw core::BadInput("option -study_width: must be below 1");
  if (words.out == "none") throw core::BadInput("option -out: a study needs a folder");
  return words;
}

int rank() {
  int number = 0;
  core::check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &number));
  return number;
}

files::path folder_of(const Words& words, double energy) {
  return words.out / fmt::format("energy_{:.6g}", energy);
}

/// What a finished run says; read on rank 0, known on all.
std::optional<Trial> finished_run(const Words& words, double energy) {
  std::array<double, 3> told{0.0, 0.0, 0.0}; // fate, t, wall_seconds
  if (rank() == 0) {
    try {
      const YAML::Node summary = YAML::LoadFile((folder_of(words, energy) / "run.json").string());
      const auto reason = summary["reason"].as<std::string>();
      const auto fate = summary["results"]["fate"].as<std::string>();
      const bool whole = reason == "done" || reason == "stopped_by_event";
      told = {!whole              ? 0.0
              : fate == "ignited" ? 1.0
              : fate == "died"    ? 2.0
                                  : 3.0,
              summary["t"].as<double>(), summary["wall_seconds"].as<double>()};
    } catch (const YAML::Exception&) { // no such run, or none that ended
    }
  }
  core::check_mpi(MPI_Bcast(told.data(), static_cast<int>(told.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD));
  if (told[0] == 0.0) return std::nullopt;
  return Trial{energy, told[0] == 1.0 ? "ignited" : told[0] == 2.0 ? "died" : "open", told[1], told[2]};
}

bool has_checkpoint(const Words& words, double energy) {
  int found = 0;
  if (rank() == 0) {
    const auto folder = folder_of(words, energy) / "checkpoints";
    found = files::is_directory(folder) && !files::is_empty(folder) ? 1 : 0;
  }
  core::check_mpi(MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD));
  return found != 0;
}

/// A whole run of the driver with this energy; its exit code.
ExitCode run_trial(const Words& words, double energy) {
  auto all = words.passed;
  const auto folder = folder_of(words, energy).string();
  for (const std::string& word : {std::string("-energy"), fmt::format("{:.17g}", energy), std::string("-out"), folder,
                                  std::string("-stop_at_fate")})
    all.push_back(word);
  if (has_checkpoint(words, energy)) all.insert(all.end(), {"-restart", folder});
  if (!words.quiet) all.emplace_back("-quiet");
  std::vector<char*> pointers;
  for (auto& word : all) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return static_cast<ExitCode>(run::run(static_cast<int>(all.size()), pointers.data(), make));
}

void write(const files::path& file, const std::string& text) {
  const auto beside = files::path(file).concat(".new");
  std::ofstream stream(beside);
  stream << text;
  stream.close();
  if (!stream) throw core::InputOutput(fmt::format("{}: cannot be written", beside.string()));
  files::rename(beside, file);
}

void write_results(const Words& words, const Bisection& search, const std::vector<Trial>& trials) {
  if (rank() != 0) return;
  const bool finished = search.finished();
  std::string table = "energy,fate,t,wall_seconds\n", energies, ignited;
  for (const Trial& trial : trials) {
    table += fmt::format("{:.9g},{},{:.6g},{:.3f}\n", trial.energy, trial.fate, trial.t, trial.wall_seconds);
    energies += fmt::format("{}{:.9g}", energies.empty() ? "" : ", ", trial.energy);
    ignited += fmt::format("{}{}", ignited.empty() ? "" : ", ", trial.fate == "ignited" ? 1 : 0);
  }
  files::create_directories(words.out);
  write(words.out / "mie.csv", table);
  const std::string mie = finished ? fmt::format("\"mie\": {:.9g}, ", 0.5 * (search.low() + search.high())) : "";
  write(words.out / "run.json",
        fmt::format("{{\n \"app\": \"rhumb-ignite\",\n \"problem\": \"study mie\",\n \"reason\": \"{}\",\n"
                    " \"results\": {{{}\"mie_low\": {:.9g}, \"mie_high\": {:.9g}, \"runs\": {},\n"
                    "  \"energies\": [{}],\n  \"ignited\": [{}]}}\n}}\n",
                    finished ? "done" : "stopped", mie, search.low(), search.high(), trials.size(), energies, ignited));
}

void say(const Words& words, const std::string& text) {
  if (rank() == 0 && !words.quiet) std::cout << text << std::flush;
}

/// A folder belongs to one study: runs of another would be taken for its own.
void claim_folder(const Words& words) {
  std::array<char, 256> other{};
  if (rank() == 0) {
    std::string mine;
    for (std::size_t i = 1; i < words.passed.size(); ++i) mine += words.passed[i] + "\n";
    const auto file = words.out / "study.txt";
    files::create_directories(words.out);
    if (std::ifstream known(file); known) {
      const std::string theirs{std::istreambuf_iterator<char>(known), {}};
      if (theirs != mine) fmt::format_to_n(other.data(), other.size() - 1, "{}", words.out.string());
    } else {
      write(file, mine);
    }
  }
  core::check_mpi(MPI_Bcast(other.data(), static_cast<int>(other.size()), MPI_CHAR, 0, MPI_COMM_WORLD));
  if (other[0] != '\0')
    throw core::BadInput(fmt::format("{} holds a study with other options: take another -out", other.data()));
}

ExitCode bisect(const Words& words) {
  claim_folder(words);
  constexpr std::size_t most_runs = 60;
  Bisection search(words.first, words.width);
  std::vector<Trial> trials;
  while (!search.finished() && trials.size() < most_runs) {
    const double energy = search.next();
    auto trial = finished_run(words, energy);
    const bool known = trial.has_value();
    if (!known) {
      if (const auto code = run_trial(words, energy); code != ExitCode::done) {
        write_results(words, search, trials);
        return code;
      }
      trial = finished_run(words, energy);
    }
    if (!trial || trial->fate == "open")
      throw core::BadInput(fmt::format("the run with energy {:g} neither ignited nor died: a later -t_end, another "
                                       "-flame_level or -burnt_radius is needed",
                                       energy));
    trial->fate == "ignited" ? search.ignited(energy) : search.died(energy);
    trials.push_back(*trial);
    say(words, fmt::format("energy {:12.6g}  {:8}  {:8.1f} s{}\n", energy, trial->fate, trial->wall_seconds,
                           known ? "  (found)" : ""));
    write_results(words, search, trials);
  }
  if (!search.finished()) throw core::SolverGaveUp("no bracket of the minimum ignition energy was found");
  say(words, fmt::format("minimum ignition energy between {:.6g} and {:.6g}, {} runs, table in {}\n", search.low(),
                         search.high(), trials.size(), (words.out / "mie.csv").string()));
  return ExitCode::done;
}

} // namespace

bool wants_study(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](const char* word) { return std::string(word) == "-study"; });
}

int run_study(int argc, char** argv) {
  core::check_mpi(MPI_Init(&argc, &argv)); // here, so that MPI outlives the runs
  ExitCode code = ExitCode::done;
  try {
    code = bisect(take_apart(argc, argv));
  } catch (...) { // the same on all ranks, or of rank 0's files alone
    code = core::exit_code_of_current_exception();
    if (rank() == 0) std::cerr << "rhumb-ignite: " << core::message_of_current_exception() << '\n';
    if (code == ExitCode::input_output) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  }
  core::check_mpi(MPI_Finalize());
  return static_cast<int>(code);
}

} // namespace rhumb::ignite_cases
