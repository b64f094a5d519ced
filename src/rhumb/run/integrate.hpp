#pragma once
/// A run is a function call:
///
///   core::Session session;                                          // unless MPI and PETSc run already
///   auto flow = flow::make_flow(comm, core::Options().with("problem", "cavity").with("re", 400));
///   Solution solution = integrate(*flow, {.t_end = 10.0, .rtol = 1e-5, .output_times = {1.0, 5.0, 10.0}});
///   if (!solution.done()) ... solution.message();
///
/// It reads no argv, writes no file unless `out` is given, prints nothing unless `quiet` is false, and leaves nothing
/// behind in the process: runs may follow each other, run on parts of a communicator, or inside an observer of another.

#include <rhumb/run/observer.hpp>
#include <rhumb/run/settings.hpp>
#include <rhumb/run/solution.hpp>

namespace rhumb::run {

/// Collective over the communicator of the problem's vectors; every rank gets the same. Throws nothing that the end of
/// a run can say.
Solution integrate(dae::Problem& problem, Settings settings = {}, Observers observers = {});

} // namespace rhumb::run

namespace rhumb {
using core::Options;
using run::integrate;
using run::Settings;
using run::Solution;
} // namespace rhumb
