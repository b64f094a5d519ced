#pragma once
/// Compiled code, kept in the user's cache folder, $XDG_CACHE_HOME/rhumb or ~/.cache/rhumb. Code is loaded from there
/// only where folder and file belong to the user and nobody else may write to them; a file is what was checked, not
/// what its name may mean a moment later. The source lies beside the code and must be the same.

#include <mpi.h>
#include <string>

namespace rhumb::text {

/// A library of functions that were compiled, for as long as the object lives.
class CompiledCode {
public:
  CompiledCode() = default;
  /// Takes over what dlopen returned.
  explicit CompiledCode(void* library) : library_(library) {}
  CompiledCode(CompiledCode&& other) noexcept;
  CompiledCode& operator=(CompiledCode&& other) noexcept;
  CompiledCode(const CompiledCode&) = delete;
  CompiledCode& operator=(const CompiledCode&) = delete;
  ~CompiledCode();

  /// Throws logic_error where there is none.
  void* function(const std::string& name) const;

private:
  void* library_ = nullptr;
};

/// Compiles C code unless the cache has it (on rank 0), and loads it (on all ranks). Collective. Throws BadInput where
/// there is no compiler, no home, or where the folder's or the file's rights are not those of a private one.
CompiledCode compile_or_load(MPI_Comm comm, const std::string& source);

} // namespace rhumb::text
