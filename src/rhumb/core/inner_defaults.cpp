#include <rhumb/core/inner_defaults.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/options.hpp>

namespace rhumb::core {

void set_inner_default(PC preconditioner, const std::string& name, const char* value) {
  const char* prefix = nullptr;
  check(PCGetOptionsPrefix(preconditioner, &prefix));
  const std::string full = (prefix == nullptr ? "" : prefix) + name;
  if (!option_given(full)) check(PetscOptionsSetValue(nullptr, ("-" + full).c_str(), value));
}

} // namespace rhumb::core
