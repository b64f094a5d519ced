#pragma once
/// A search that a driver has a name for: `-study mie` of rhumb-ignite is `-study find -vary energy=E -until
/// fate=ignited` from its option -energy on.

#include <map>
#include <string>

namespace rhumb::run {

struct NamedStudy {
  std::string name;
  std::string about;                          ///< one line for -help
  std::string option;                         ///< what is varied, from its value on
  std::string until;                          ///< the condition
  std::map<std::string, std::string> options; ///< that its runs have; the user may not give them
  std::string undecided;                      ///< "the run with energy 1 ...": what a run without a decision means
  /// Names in run.json: of the value found (and of the bracket, _low and _high), of the values tried, and of whether
  /// the condition held.
  std::string found, tried, held;
};

} // namespace rhumb::run
