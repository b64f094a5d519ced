#include <rhumb/physics/mechanics/form.hpp>

#include <algorithm>

namespace rhumb::mechanics {

Form form_named(const std::string& name) {
  return static_cast<Form>(std::ranges::find(form_names, name) - form_names.begin());
}

} // namespace rhumb::mechanics
