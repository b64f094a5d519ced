#include <rhumb/pde/text/overlapping_blocks.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/options.hpp>

namespace rhumb::text {

void set_default(PC preconditioner, const std::string& name, const char* value) {
  const char* prefix = nullptr;
  core::check(PCGetOptionsPrefix(preconditioner, &prefix));
  const std::string full = (prefix == nullptr ? "" : prefix) + name;
  if (!core::option_given(full)) core::check(PetscOptionsSetValue(nullptr, ("-" + full).c_str(), value));
}

void use_overlapping_blocks(PC preconditioner, const std::string& block) {
  core::check(PCSetType(preconditioner, PCASM));
  set_default(preconditioner, "sub_pc_type", block.c_str());
  if (block == "ilu") set_default(preconditioner, "sub_pc_factor_levels", "1");
}

} // namespace rhumb::text
