/// rhumb-mesh: PDEs in one dimension on fixed and moving meshes, by -problem or a case file.

#include "cases.hpp"
#include <rhumb/run/run.hpp>

int main(int argc, char** argv) {
  return rhumb::run::run(argc, argv, rhumb::mesh_cases::make);
}
