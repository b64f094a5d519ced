/// rhumb-ignite: combustion in closed vessels and ignition delays, by -problem or a case file.

#include "cases.hpp"
#include "run/run.hpp"

int main(int argc, char** argv) {
  return rhumb::run::run(argc, argv, rhumb::ignite_cases::make);
}
