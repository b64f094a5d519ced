/// A case in the plane, on triangles whose points move: those of a box, or of a Gmsh file.

#include <rhumb/pde/moving_box/system.hpp>
#include <rhumb/pde/text/moving_pdes.hpp>
#include <rhumb/pde/text/moving_system.hpp>

namespace rhumb::text {

namespace {

template <int n>
class PlaneSystem final : public MovingSystem<moving_box::System<PlanePde<n>>> {
public:
  using Base = MovingSystem<moving_box::System<PlanePde<n>>>;
  using Base::Base;

protected:
  typename Base::Cells cells(Vec y) override {
    this->load(y, nullptr);
    const auto& mesh = this->simplices();
    typename Base::Cells all{mesh.comm(), {}};
    for (PetscInt e = 0; e < mesh.count(); ++e) {
      if (!mesh.is_counted(e)) continue;
      for (int a = 0; a < mesh.vertices(); ++a) {
        const PetscInt node = mesh.corners(e)[a];
        for (int d = 0; d < 2; ++d) all.corners.push_back(this->position(node, d));
        for (int c = 0; c < n; ++c) all.corners.push_back(this->values()[this->entry(node, c)]);
      }
    }
    return all;
  }
};

moving_box::Description describe(const core::Options& options, const Case& read) {
  moving_box::Description about;
  about.name = read.title;
  for (const auto& field : read.model.fields) about.fields.push_back({.name = field.name, .kind = field.kind});
  about.box = read.shape;
  if (read.mesh) about.box.cells = {1, 1}; // for its dimension
  about.t_end = options.real("t_end", 1.0, {"where the run ends", "time"});
  about.tau *= about.t_end;
  return about;
}

} // namespace

std::unique_ptr<dae::Problem> make_moving_plane(MPI_Comm comm, const core::Options& options, Case read, bool compiled) {
  const auto equations = std::make_shared<MovingEquations>(read);
  return with_fields<2>(read.model.fields.size(), [&]<int n>() -> std::unique_ptr<dae::Problem> {
    const auto about = describe(options, read);
    auto problem =
        std::make_unique<PlaneSystem<n>>(comm, options, std::move(read), equations, PlanePde<n>{equations}, about);
    if (compiled) problem->compile(comm);
    return problem;
  });
}

} // namespace rhumb::text
