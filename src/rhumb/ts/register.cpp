#include <rhumb/ts/register.hpp>

#include <rhumb/bdf/spigmr.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/ts/type.hpp>

namespace rhumb::ts {

void register_ts() {
  core::check(TSRegister(type_name, create_type));
  bdf::register_spigmr(); // before the program's KSP reads -ksp_type
}

} // namespace rhumb::ts
