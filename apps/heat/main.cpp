/// rhumb-heat CASE.yaml [options]: the heat equation of a case file. The cases beside this file are examples.

#include <rhumb/physics/heat/heat.hpp>
#include <rhumb/run/run.hpp>

namespace {
std::unique_ptr<rhumb::dae::Problem> make(MPI_Comm comm, const rhumb::core::Options& options) {
  auto problem = rhumb::heat::make_heat(comm, options);
  if (!problem->objection().empty())
    problem->set_objection(problem->objection() + "; cases to start from, in apps/heat: " RHUMB_CASES);
  return problem;
}
} // namespace

int main(int argc, char** argv) {
  return rhumb::run::run(argc, argv, make);
}
