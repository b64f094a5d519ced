#pragma once
/// The life of MPI and PETSc in a program: one Session in main, before anything else of Rhumb.

namespace rhumb::core {

class Session {
public:
  /// Without a command line.
  Session();
  /// Initialises MPI and PETSc. The words of the command line go into PETSc's option database; `-options_left` is
  /// silenced, since the run layer refuses unread options itself. Of the environment PETSC_OPTIONS is heeded, below the
  /// command line; .petscrc files are not, wherever they lie.
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

/// Starts MPI and PETSc where they do not run, for the rest of the program.
void start_petsc();

} // namespace rhumb::core
