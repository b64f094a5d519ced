/// The faulty problem as a program, for tests of whole processes.
#include "faulty_decay.hpp"
#include <rhumb/run/run.hpp>

int main(int argc, char** argv) {
  return rhumb::run::run<rhumb::test::FaultyDecay>(argc, argv);
}
