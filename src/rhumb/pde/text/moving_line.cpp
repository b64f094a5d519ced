/// A case on a line whose nodes move.

#include <rhumb/pde/moving/system.hpp>
#include <rhumb/pde/text/moving_pdes.hpp>
#include <rhumb/pde/text/moving_system.hpp>

namespace rhumb::text {

namespace {

template <int n>
class LineSystem final : public MovingSystem<moving::System<LinePde<n>>> {
public:
  using Base = MovingSystem<moving::System<LinePde<n>>>;
  using Base::Base;

protected:
  /// Every rank has the whole line.
  typename Base::Cells cells(Vec y) override {
    const moving::Profile now = this->profile(y);
    typename Base::Cells all{MPI_COMM_SELF, {}};
    for (std::size_t i = 0; i + 1 < now.x.size(); ++i)
      for (const std::size_t corner : {i, i + 1}) {
        all.corners.push_back(now.x[corner]);
        for (const auto& u : now.u) all.corners.push_back(u[corner]);
      }
    return all;
  }
};

moving::Description describe(const core::Options& options, const Case& read) {
  moving::Description about;
  about.name = read.title;
  for (const auto& field : read.model.fields) about.fields.push_back({.name = field.name, .kind = field.kind});
  about.lower = read.shape.lower[0];
  about.upper = read.shape.upper[0];
  about.cells = read.shape.cells[0];
  about.t_end = options.real("t_end", 1.0, {"where the run ends", "time"});
  about.tau *= about.t_end;
  about.front_times = {about.t_end};
  about.rtol = 1e-5;
  return about;
}

} // namespace

std::unique_ptr<dae::Problem> make_moving_line(MPI_Comm comm, const core::Options& options, Case read, bool compiled) {
  const auto equations = std::make_shared<MovingEquations>(read);
  return with_fields<3>(read.model.fields.size(), [&]<int n>() -> std::unique_ptr<dae::Problem> {
    const auto about = describe(options, read);
    auto problem =
        std::make_unique<LineSystem<n>>(comm, options, std::move(read), equations, LinePde<n>{equations}, about);
    if (compiled) problem->compile(comm);
    return problem;
  });
}

} // namespace rhumb::text
