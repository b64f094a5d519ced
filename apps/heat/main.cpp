/// rhumb-heat CASE.yaml [options]: the heat equation of a case file. The cases beside this file are examples.

#include <rhumb/physics/heat/heat.hpp>
#include <rhumb/run/run.hpp>

int main(int argc, char** argv) {
  return rhumb::run::run(argc, argv, rhumb::heat::make_heat);
}
