"""The DFG cylinder on both meshes: the block preconditioner against MUMPS for the whole matrix, in one run."""

import resource
import sys

import driver

MESHES = ("cylinder2d", "cylinder2d_fine")
SOLVERS = {"block factorization": (), "MUMPS": ("-dae_pc_type", "lu", "-dae_pc_factor_mat_solver_type", "mumps")}


def measured(mesh, words, t_end):
    """Summary of a run, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = driver.run("rhumb-flow", "apps/flow/dfg-2d-2.yaml", "-mesh", f"meshes/{mesh}.msh", "-t_end", t_end, "-quiet",
                     *words, timeout=3000)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.code != 0:
        sys.exit(run.errors)
    return run.summary, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    t_end = sys.argv[1] if len(sys.argv) > 1 else "1"
    print(f"dfg-2d-2, t = 0 ... {t_end}, rtol 1e-4, one process")
    print(f"{'mesh':16} {'linear solver':20} {'unknowns':>8} {'steps':>6} {'Newton':>7} {'Krylov':>7} {'set-ups':>8} "
          f"{'CPU s per s':>12} {'MiB':>6} {'cd':>8}")
    for mesh in MESHES:
        for name, words in SOLVERS.items():
            summary, seconds = measured(mesh, words, t_end)
            print(f"{mesh:16} {name:20} {summary['unknowns']:8} {summary['steps']:6} {summary['newton_iterations']:7} "
                  f"{summary['linear_iterations']:7} {summary['pc_setups']:8} {seconds / float(t_end):12.1f} "
                  f"{summary['peak_rss_mib']:6.0f} {summary['results']['cd']:8.4f}", flush=True)


if __name__ == "__main__":
    main()
