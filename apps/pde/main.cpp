/// rhumb-pde CASE.yaml [options]: the system of PDEs of a case file. The cases beside this file are examples;
/// docs/guide/pde.md describes the language.

#include <rhumb/pde/text/box_system.hpp>
#include <rhumb/run/run.hpp>

namespace {
std::unique_ptr<rhumb::dae::Problem> make(MPI_Comm comm, const rhumb::core::Options& options) {
  auto problem = rhumb::text::make_pde(comm, options);
  if (!problem->objection().empty())
    problem->set_objection(problem->objection() + "; cases to start from, in apps/pde: " RHUMB_CASES);
  return problem;
}
} // namespace

int main(int argc, char** argv) {
  return rhumb::run::run(argc, argv, make);
}
