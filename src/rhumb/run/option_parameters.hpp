#pragma once
/// Every number among a problem's options as a parameter, for modules that read them into formulas and tables: the same
/// problem is made once more with the number moved, and takes the place of the first while the parameter is moved. What
/// a problem remembers goes with it. The problems made for a parameter are kept, as many as differences need.
///
/// An option that is a formula or a list of numbers has a factor in front of it, with the value 1, as its parameter.

#include <rhumb/io/snapshot.hpp>
#include <rhumb/run/run.hpp>
#include <functional>

namespace rhumb::run {

/// Whether the pattern is this name or, with `*` at its end, the beginning of it.
bool matches(const std::string& pattern, const std::string& name);

/// Names of parameters, of which `moved` end in `*` for all that begin so.
struct WantedParameters {
  std::vector<std::string> moved; ///< a little, for derivatives
  std::vector<std::string> set;   ///< to other values on the way
};

/// The parameters of `problem`, made from `options` by `make`, with all of its options that are numbers and the wanted
/// ones that are formulas or lists; `problem` itself where it has all the wanted ones already. Throws core::BadInput
/// where the problem cannot be made with a number that is to be moved: a count of cells, say.
std::unique_ptr<dae::Problem> with_option_parameters(MPI_Comm comm, const Make& make, const core::Options& options,
                                                     std::unique_ptr<dae::Problem> problem,
                                                     const WantedParameters& wanted);

} // namespace rhumb::run
