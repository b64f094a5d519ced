#include <rhumb/pde/text/overlapping_blocks.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/inner_defaults.hpp>

namespace rhumb::text {

void use_overlapping_blocks(PC preconditioner, const std::string& block) {
  core::check(PCSetType(preconditioner, PCASM));
  core::set_inner_default(preconditioner, "sub_pc_type", block.c_str());
  if (block == "ilu") core::set_inner_default(preconditioner, "sub_pc_factor_levels", "1");
}

} // namespace rhumb::text
