#pragma once
/// A whole driver in one line:
///
///   int main(int argc, char** argv) { return rhumb::run::run<MyProblem>(argc, argv); }
///
/// MyProblem is a dae::Problem that can be made from a const core::Options& (or from nothing). Everything else is here:
/// MPI and PETSc, the case file, the options, the integrator, output, checkpoints, signals, exit codes
/// (core::ExitCode).

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/run/named_study.hpp>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

namespace rhumb::run {

/// Builds the problem on a communicator from the options it reads. Called on all ranks.
using Make = std::function<std::unique_ptr<dae::Problem>(MPI_Comm, const core::Options&)>;

/// Of the file that includes this. Kernels are inlined into their loops there, so what it is compiled with decides.
#ifdef __OPTIMIZE__
constexpr bool compiled_with_optimisation = true;
#else
constexpr bool compiled_with_optimisation = false;
#endif

/// Runs the problem, or a study of it; returns the program's exit code, the same on all ranks. `studies` are searches
/// that this driver has a name for. The first line says if it was not `optimised`.
int run(int argc, char** argv, const Make& make, const std::vector<NamedStudy>& studies = {},
        bool optimised = compiled_with_optimisation);

template <class OneProblem>
int run(int argc, char** argv) {
  return run(argc, argv, [](MPI_Comm comm, const core::Options& options) -> std::unique_ptr<dae::Problem> {
    if constexpr (std::is_constructible_v<OneProblem, MPI_Comm, const core::Options&>)
      return std::make_unique<OneProblem>(comm, options);
    else
      return std::make_unique<OneProblem>();
  });
}

} // namespace rhumb::run
