#include "trial.hpp"

#include <rhumb/core/agreement.hpp>
#include <algorithm>
#include <array>
#include <yaml-cpp/yaml.h>

namespace rhumb::ignite_cases {

namespace {

using Counts = bdf::Statistics;
struct Count {
  const char* name;
  long Counts::*place;
};

/// Those of run.json.
constexpr std::array all_counts{Count{"steps", &Counts::steps},
                                Count{"residual_evals", &Counts::residual_evals},
                                Count{"residual_evals_krylov", &Counts::residual_evals_krylov},
                                Count{"residual_evals_jacobian", &Counts::residual_evals_jacobian},
                                Count{"jacobian_evals", &Counts::jacobian_evals},
                                Count{"pc_setups", &Counts::pc_setups},
                                Count{"newton_iterations", &Counts::newton_iterations},
                                Count{"linear_iterations", &Counts::linear_iterations},
                                Count{"filter_solves", &Counts::filter_solves},
                                Count{"filter_iterations", &Counts::filter_iterations},
                                Count{"start_iterations", &Counts::start_iterations},
                                Count{"error_test_failures", &Counts::error_test_failures},
                                Count{"convergence_failures", &Counts::convergence_failures},
                                Count{"constraint_failures", &Counts::constraint_failures},
                                Count{"restarts", &Counts::restarts},
                                Count{"kind_check_residuals", &Counts::kind_check_residuals},
                                Count{"kind_check_matrices", &Counts::kind_check_matrices},
                                Count{"reductions", &Counts::reductions}};

Counts counts_of(const YAML::Node& summary) {
  Counts out;
  for (const auto& [name, place] : all_counts) out.*place = summary[name].as<long>();
  const YAML::Node orders = summary["order_histogram"];
  for (std::size_t k = 0; k < std::min(orders.size(), out.order_histogram.size()); ++k)
    out.order_histogram[k] = orders[k].as<long>();
  out.h_min = summary["h_min"].as<double>();
  out.h_max = summary["h_max"].as<double>();
  return out;
}

} // namespace

std::string text_of(const io::Path& file) {
  std::string text;
  core::on_first(MPI_COMM_WORLD, [&] {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return;
    io::Descriptor descriptor(file, io::Descriptor::Mode::read);
    text.resize(descriptor.size());
    descriptor.read_at(0, std::as_writable_bytes(std::span(text)));
  });
  return core::broadcast(MPI_COMM_WORLD, std::move(text));
}

std::optional<Trial> read_trial(const io::Path& folder, double energy) {
  const std::string text = text_of(folder / "run.json");
  try {
    const YAML::Node summary = YAML::Load(text);
    Trial trial;
    trial.energy = energy;
    trial.statistics = counts_of(summary);
    trial.reason = summary["reason"].as<std::string>();
    trial.fate = summary["results"]["fate"].as<std::string>("open");
    trial.t = summary["t"].as<double>();
    trial.wall_seconds = summary["wall_seconds"].as<double>();
    trial.unknowns = summary["unknowns"].as<long>();
    trial.error_test = summary["error_test"].as<std::string>();
    return trial;
  } catch (const YAML::Exception&) { // no summary
    return std::nullopt;
  }
}

void add(Counts& sum, const Counts& other) {
  sum.h_min = sum.steps == 0 ? other.h_min : std::min(sum.h_min, other.h_min);
  sum.h_max = std::max(sum.h_max, other.h_max);
  for (const auto& count : all_counts) sum.*count.place += other.*count.place;
  for (std::size_t k = 0; k < sum.order_histogram.size(); ++k) sum.order_histogram[k] += other.order_histogram[k];
}

core::ExitCode run_driver(std::vector<std::string> words, const run::Make& make) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return static_cast<core::ExitCode>(run::run(static_cast<int>(words.size()), pointers.data(), make));
}

} // namespace rhumb::ignite_cases
