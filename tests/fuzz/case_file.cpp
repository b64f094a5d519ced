/// Case files: parsed, given to the options and to PETSc, and read as drivers read them.

#include "target.hpp"
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/run/case_file.hpp>
#include <petscsys.h>

namespace rhumb::fuzz {

namespace {
template <class Read>
void read(Read&& option) {
  try {
    option();
  } catch (const core::BadInput&) { // the next option is read all the same
  }
}
} // namespace

void test(std::string_view input) {
  start_petsc();
  core::Options options;
  run::take_case(run::parse_case(std::string(input), "case.yaml"), options);
  read([&] { options.real("k", 1.0, {"a number"}, core::Range::positive()); });
  read([&] { options.integer("levels", 1, {"a count"}, core::Range::at_least(0.0)); });
  read([&] { options.flag("moving", false, {"a flag"}); });
  read([&] { options.string("initial", "0", {"a word"}); });
  read([&] { options.choice("scheme", "upwind", {"upwind", "central"}, {"a choice"}); });
  read([&] { options.reals("out_times", {}, {"numbers"}); });
  read([&] { options.integers("n", {8, 8}, {"counts"}, core::Range::at_least(1.0)); });
  const core::PetscOptionsScope scope(options);
  options.unread();
}

} // namespace rhumb::fuzz
