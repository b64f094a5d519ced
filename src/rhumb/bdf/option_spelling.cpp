#include <rhumb/bdf/options.hpp>

namespace rhumb::bdf {

std::string spelled_as_member(NamedOption option) {
  switch (option) {
  case NamedOption::adjoint_memory:
    return "IntegratorOptions::adjoint.memory";
  case NamedOption::check_jacobian:
    return "IntegratorOptions::check_jacobian";
  case NamedOption::direct_solver:
    return "a direct solver (PCLU)";
  case NamedOption::find_start:
    return "Start::find";
  case NamedOption::fixed_step:
    return "IntegratorOptions::fixed_step and fixed_order";
  case NamedOption::given_start:
    return "Start::given";
  case NamedOption::h_max:
    return "IntegratorOptions::h_max";
  case NamedOption::linear_operator:
    return "IntegratorOptions::linear_operator";
  case NamedOption::max_steps:
    return "IntegratorOptions::max_steps";
  case NamedOption::no_kind_check:
    return "IntegratorOptions::check_kinds = false";
  case NamedOption::preconditioner:
    return "the preconditioner";
  case NamedOption::projected_test:
    return "ErrorTest::projected";
  case NamedOption::sign_slack:
    return "IntegratorOptions::sign_slack";
  }
  return "";
}

} // namespace rhumb::bdf
