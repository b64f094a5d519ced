#include "run/petsc_refusal.hpp"

#include <algorithm>
#include <array>
#include <petscsys.h>

namespace rhumb::run {

bool blames_input(const core::LibraryError& error) {
  constexpr std::array codes{PETSC_ERR_ARG_UNKNOWN_TYPE,
                             PETSC_ERR_ARG_OUTOFRANGE,
                             PETSC_ERR_ARG_WRONG,
                             PETSC_ERR_ARG_INCOMP,
                             PETSC_ERR_SUP,
                             PETSC_ERR_SUP_SYS,
                             PETSC_ERR_USER,
                             PETSC_ERR_USER_INPUT,
                             PETSC_ERR_MISSING_FACTOR};
  return std::ranges::find(codes, error.code()) != codes.end();
}

} // namespace rhumb::run
