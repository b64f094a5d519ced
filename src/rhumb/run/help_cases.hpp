#pragma once
/// Options that a driver reads in some of its cases only: with another -problem, in more directions, or on a mesh. -help
/// makes these cases to find them.

#include <rhumb/run/agreement.hpp>
#include <rhumb/run/help.hpp>
#include <rhumb/run/preparation.hpp>

namespace rhumb::run {

/// `read` is the case that -help shows, `given` its options before anything was read of them. What was chosen
/// (-problem, -dim, -mesh) has no others beside it. A mesh is tried on one rank only, where a small one can be written.
std::vector<OptionElsewhere> options_elsewhere(MPI_Comm comm, Agreement& agreement, const Make& make,
                                               const core::Options& given, const core::Options& read,
                                               const Caller& caller);

} // namespace rhumb::run
