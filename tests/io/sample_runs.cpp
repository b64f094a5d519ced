/// Writes a run folder of the given kind: sample_runs KIND FOLDER [SNAPSHOTS [CELLS]]. For tests that look at files
/// from outside. Besides the snapshots it leaves checkpoints, and steps.csv and run.json as drivers do.

#include "samples.hpp"
#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/session.hpp>
#include <rhumb/io/checkpoint.hpp>
#include <fmt/format.h>
#include <iostream>
#include <memory>

namespace {

using namespace rhumb;

std::unique_ptr<dae::Problem> make(const std::string& kind, PetscInt n) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  using samples::Unstructured;
  if (kind == "plain") return std::make_unique<samples::Plain>(comm);
  if (kind == "box") return std::make_unique<samples::Box>(comm, n, 3 * n / 4);
  if (kind == "line") return std::make_unique<samples::Line>(comm, n);
  if (kind == "moving") return std::make_unique<samples::Moving>(comm, n);
  const auto cells = kind == "mixed" ? Unstructured::Cells::mixed : Unstructured::Cells::triangles;
  return std::make_unique<Unstructured>(comm, static_cast<std::uint64_t>(n), cells);
}

/// Steps that grow, with a failure now and then.
std::string steps_table(int count) {
  std::string text = "t,h,order,error,newton,krylov,error_failures,convergence_failures\n";
  double t = 0.0;
  for (int k = 1; k <= count; ++k) {
    const double h = 1e-4 * std::pow(1.2, k % 20);
    t += h;
    text += fmt::format("{:.17g},{:.17g},{},{:.3g},{},{},{},{}\n", t, h, 1 + k / 10 % 5, 0.3, 2, 5, k % 13 == 0 ? 1 : 0,
                        k % 29 == 0 ? 1 : 0);
  }
  return text;
}

void write_run(dae::Problem& problem, const io::Path& folder, int snapshots) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const io::SeriesInfo about{"rhumb-sample", "0.0", {{"out", folder.string()}}};
  const core::VecHandle y = problem.create_vector();
  core::check(VecSet(y, 2.5));
  io::SnapshotWriter writer(comm, folder, about);
  io::CheckpointStore store(comm, folder, io::identity_of("rhumb-sample", problem), io::natural_indices_of(problem));
  for (int k = 0; k < snapshots; ++k) {
    const double t = 0.1 * k;
    writer.write(problem, t, k, y, nullptr);
    store.write({.t = t, .step = k, .scalars = {{"h", 0.1}}, .vectors = {{"y", y}}, .system_state = {}}, about);
  }
  writer.finish();
  io::write_text(comm, folder / "steps.csv", steps_table(120));
  io::write_text(
      comm, folder / "run.json",
      fmt::format("{{\"app\": \"rhumb-sample\", \"problem\": \"{}\", \"reason\": \"done\", \"steps\": 120}}\n",
                  problem.name()));
}

} // namespace

int main(int argc, char** argv) {
  const core::Session session(argc, argv);
  try {
    if (argc < 3) throw core::BadInput("sample_runs plain|line|box|moving|triangles|mixed FOLDER [SNAPSHOTS [CELLS]]");
    const auto problem = make(argv[1], argc > 4 ? std::stoi(argv[4]) : 40);
    write_run(*problem, argv[2], argc > 3 ? std::stoi(argv[3]) : 6);
  } catch (...) {
    const auto code = core::exit_code_of_current_exception();
    if (core::rank_of(MPI_COMM_WORLD) == 0) std::cerr << core::message_of_current_exception() << '\n';
    return static_cast<int>(code);
  }
  return 0;
}
