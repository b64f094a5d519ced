/// rhumb-pipes CASE [options]: flow of a gas or a liquid in a network of pipes. CASE is a case file that names a network,
/// or the network itself (.net and .xml of GasLib, .json, or .yaml with `nodes`). The cases beside this file are
/// examples.

#include <rhumb/core/failure.hpp>
#include <rhumb/core/yaml_node.hpp>
#include <rhumb/physics/network/pipes.hpp>
#include <rhumb/run/run.hpp>
#include <filesystem>

namespace {

/// Whether the first argument is a network and not a case file.
bool is_network(const std::string& file) {
  const auto extension = std::filesystem::path(file).extension();
  if (extension == ".net" || extension == ".xml" || extension == ".json") return true;
  if (extension != ".yaml" && extension != ".yml") return false;
  try {
    const auto top = rhumb::core::load_yaml(file, "a network");
    return top.is_map() && top.has("nodes");
  } catch (const rhumb::core::BadInput&) {
    return false; // whoever reads it as a case will say why
  }
}

std::unique_ptr<rhumb::dae::Problem> make(MPI_Comm comm, const rhumb::core::Options& options) {
  auto problem = rhumb::network::make_pipes(comm, options);
  if (!problem->objection().empty())
    problem->set_objection(problem->objection() + "; cases to start from, in apps/pipes: " RHUMB_CASES);
  return problem;
}

} // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  std::string option = "-network";
  if (argc > 1 && argv[1][0] != '-' && is_network(argv[1])) arguments.insert(arguments.begin() + 1, option.data());
  const auto count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  return rhumb::run::run(count, arguments.data(), make);
}
