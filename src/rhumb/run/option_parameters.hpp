#pragma once
/// Every number among a problem's options as a parameter, for modules that read them into formulas and tables: the same
/// problem is made once more with the number moved, and takes the place of the first while the parameter is moved. What
/// a problem remembers goes with it. The problems made for a parameter are kept, as many as differences need.

#include <rhumb/grid/geometry.hpp>
#include <rhumb/run/run.hpp>
#include <functional>

namespace rhumb::run {

/// The parameters of `problem`, made from `options` by `make`, with all of its options that are numbers; `problem`
/// itself where it has all the wanted ones already.
std::unique_ptr<dae::Problem> with_option_parameters(MPI_Comm comm, const Make& make, const core::Options& options,
                                                     std::unique_ptr<dae::Problem> problem,
                                                     const std::vector<std::string>& wanted);

} // namespace rhumb::run
