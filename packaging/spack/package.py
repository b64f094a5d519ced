# Untested but for its syntax: written for Spack's API, never run. Put this folder into a Spack repository as packages/rhumb.
from spack.package import *


class Rhumb(CMakePackage):
    """Method-of-lines DAEs on PETSc and MPI."""

    version("main", branch="main")

    variant("python", default=False, description="the Python package")

    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("petsc@3.18+mpi~complex precision=double")
    depends_on("hdf5+mpi")
    depends_on("lapack")
    depends_on("fmt@9:")
    depends_on("yaml-cpp@0.7:")
    depends_on("python@3.9:", type=("build", "run"))
    with when("+python"):
        extends("python")
        depends_on("py-pybind11@2.10:", type="build")
        depends_on("py-numpy", type=("build", "run"))
        depends_on("py-mpi4py", type=("build", "run"))
        depends_on("py-petsc4py@3.18", type=("build", "run"))
        depends_on("py-h5py", type="run")

    def cmake_args(self):
        python_folder = f"lib/python{self.spec['python'].version.up_to(2)}/site-packages"
        return [
            self.define("RHUMB_TESTS", False),
            self.define_from_variant("RHUMB_PYTHON", "python"),
            self.define("RHUMB_PYTHON_FOLDER", python_folder),
            self.define("Python3_ROOT_DIR", self.spec["python"].prefix),
            self.define("PETSC_DIR", self.spec["petsc"].prefix),
        ]
