/// rhumb-ignite: combustion in closed vessels and ignition delays, by -problem or a case file; -study mie.

#include "cases.hpp"
#include "study.hpp"
#include <rhumb/run/run.hpp>

int main(int argc, char** argv) {
  if (rhumb::ignite_cases::wants_study(argc, argv)) return rhumb::ignite_cases::run_study(argc, argv);
  return rhumb::run::run(argc, argv, rhumb::ignite_cases::make);
}
