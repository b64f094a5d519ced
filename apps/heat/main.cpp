/// rhumb-heat CASE.yaml [options]: the heat equation of a case file. The cases beside this file are examples.

#include <rhumb/physics/heat/heat.hpp>
#include <rhumb/run/run.hpp>
#include <string>

namespace {
std::unique_ptr<rhumb::dae::Problem> make(MPI_Comm comm, const rhumb::core::Options& options) {
  try {
    return rhumb::heat::make_heat(comm, options);
  } catch (const rhumb::heat::NothingToSolve& nothing) {
    throw rhumb::core::BadInput(std::string(nothing.what()) + "; cases to start from, in apps/heat: " RHUMB_CASES);
  }
}
} // namespace

int main(int argc, char** argv) {
  return rhumb::run::run(argc, argv, make);
}
