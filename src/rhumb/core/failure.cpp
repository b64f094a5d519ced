#include <rhumb/core/failure.hpp>

#include <rhumb/core/check.hpp>
#include <new>
#include <petscsys.h>

namespace rhumb::core {

namespace {
/// PETSc's code, or the one of MPI, whose codes are below PETSc's.
bool is_out_of_memory(const LibraryError& error) {
  return error.code() == PETSC_ERR_MEM || error.code() == MPI_ERR_NO_MEM;
}
} // namespace

ExitCode exit_code_of_current_exception() noexcept {
  try {
    throw;
  } catch (const BadInput&) {
    return ExitCode::bad_input;
  } catch (const SolverGaveUp&) {
    return ExitCode::solver_gave_up;
  } catch (const InputOutput&) {
    return ExitCode::input_output;
  } catch (const std::bad_alloc&) { // the problem is too large for the machine
    return ExitCode::bad_input;
  } catch (const LibraryError& error) {
    return is_out_of_memory(error) ? ExitCode::bad_input : ExitCode::bug;
  } catch (...) {
    return ExitCode::bug;
  }
}

std::string message_of_current_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "out of memory: a smaller problem or more machines";
  } catch (const LibraryError& e) {
    return is_out_of_memory(e) ? std::string("out of memory: ") + e.what() : e.what();
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

} // namespace rhumb::core
