/// A BoxSystem whose equations are compiled.

#include <rhumb/pde/text/box_system.hpp>
#include <rhumb/pde/text/compiled_programs.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::text {

/// At inner points and on faces; the few points on edges are left to the interpreter.
void BoxSystem::compile() {
  std::vector<std::pair<Program*, std::string>> programs;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (std::ranges::count(groups_[g].points.spots, Spot::inner) < 2) continue;
    auto& all = groups_[g].equations;
    programs.emplace_back(&all.residual, fmt::format("residual_{}", g));
    programs.emplace_back(&all.jacobian, fmt::format("jacobian_{}", g));
    programs.emplace_back(&all.product, fmt::format("product_{}", g));
    programs.emplace_back(&all.mass_product, fmt::format("mass_product_{}", g));
  }
  code_ = compile_programs(box_.comm(), programs);
}

} // namespace rhumb::text
