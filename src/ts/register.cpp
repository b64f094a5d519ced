#include "ts/register.hpp"

#include "bdf/spigmr.hpp"
#include "core/check.hpp"
#include "ts/type.hpp"

namespace rhumb::ts {

void register_ts() {
  core::check(TSRegister(type_name, create_type));
  bdf::register_spigmr(); // before the program's KSP reads -ksp_type
}

} // namespace rhumb::ts
