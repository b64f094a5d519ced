// A driver whose equations determine x twice and leave y and z to one equation, at as many points as are asked for.
#include <rhumb/core/arrays.hpp>
#include <rhumb/run/run.hpp>

namespace {

using namespace rhumb;

class Singular : public dae::Problem {
public:
  Singular(MPI_Comm comm, const core::Options& options)
      : comm_(comm), points_(options.integer("points", 1, {"on every rank"}, core::Range::at_least(1))) {}

  std::string name() const override { return "singular"; }
  double t_end() const override { return 1.0; }
  std::vector<dae::Field> fields() const override {
    return {{.name = "x"}, {.name = "y"}, {.name = "z", .kind = dae::Kind::index1}};
  }
  core::VecHandle create_vector() const override {
    core::VecHandle y;
    core::check(VecCreateMPI(comm_, static_cast<PetscInt>(3 * points_), PETSC_DETERMINE, y.out()));
    return y;
  }
  void initial_values(double, Vec y, Vec ydot) override {
    core::check(VecSet(y, 1.0));
    core::check(VecSet(ydot, 0.0));
  }
  void residual(double t, Vec y, Vec ydot, Vec residual) override {
    const core::Readable value(y), rate(ydot);
    const core::Writable f(residual);
    for (std::size_t i = 0; i < f.size(); i += 3) {
      f[i] = rate[i] + value[i] - t;
      f[i + 1] = value[i] - 1.0;
      f[i + 2] = rate[i + 1] + value[i + 2];
    }
  }

private:
  MPI_Comm comm_;
  long points_;
};

} // namespace

int main(int argc, char** argv) {
  return run::run<Singular>(argc, argv);
}
