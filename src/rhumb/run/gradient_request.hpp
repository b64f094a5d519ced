#pragma once
/// What -gradient and -with ask for.

#include <cstddef>
#include <string>
#include <vector>

namespace rhumb::run {

struct GradientRequest {
  std::vector<std::string> figures = {};    ///< NAME, NAME[i] or integral:NAME
  std::vector<std::size_t> parameters = {}; ///< positions in System::parameters
  std::vector<std::string> fields = {};     ///< whose initial values to differentiate by
  bool any() const { return !figures.empty(); }
};

} // namespace rhumb::run
