/// rhumb-dae: small systems of the literature, by -problem.

#include "problems.hpp"
#include <rhumb/run/run.hpp>

int main(int argc, char** argv) {
  return rhumb::run::run(argc, argv, rhumb::problems::make);
}
