#include "ts/register.hpp"

#include "core/check.hpp"
#include "ts/type.hpp"

namespace rhumb::ts {

void register_ts() {
  core::check(TSRegister(type_name, create_type));
}

} // namespace rhumb::ts
