#include <rhumb/pde/text/compiled_programs.hpp>

#include <rhumb/pde/text/code_writer.hpp>

namespace rhumb::text {

CompiledCode compile_programs(MPI_Comm comm, const std::vector<std::pair<Program*, std::string>>& programs) {
  std::string source = c_prelude();
  for (const auto& [program, name] : programs) source += program->c_code(name);
  CompiledCode code = compile_or_load(comm, source);
  for (const auto& [program, name] : programs) program->use(reinterpret_cast<CompiledFunction>(code.function(name)));
  return code;
}

} // namespace rhumb::text
