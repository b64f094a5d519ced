/// rhumb-flow: incompressible flow in a box, by -problem or a case file; on a mesh with -mesh.

#include <rhumb/physics/flow/flow.hpp>
#include <rhumb/run/run.hpp>

int main(int argc, char** argv) {
  return rhumb::run::run(argc, argv, rhumb::flow::make_flow);
}
