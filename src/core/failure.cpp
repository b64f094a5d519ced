#include "core/failure.hpp"

namespace rhumb::core {

ExitCode exit_code_of_current_exception() noexcept {
  try {
    throw;
  } catch (const BadInput&) {
    return ExitCode::bad_input;
  } catch (const SolverGaveUp&) {
    return ExitCode::solver_gave_up;
  } catch (const InputOutput&) {
    return ExitCode::input_output;
  } catch (...) {
    return ExitCode::bug;
  }
}

std::string message_of_current_exception() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

} // namespace rhumb::core
