#include "problems.hpp"

#include <algorithm>
#include <array>

namespace rhumb::problems {

namespace {
struct RegisteredProblem {
  const char* name;
  std::unique_ptr<dae::Problem> (*make)(MPI_Comm comm, const core::Options&);
};

constexpr std::array registry{
    RegisteredProblem{"robertson", robertson},
    RegisteredProblem{"pendulum", pendulum},
    RegisteredProblem{"sieber1", sieber1},
    RegisteredProblem{"sieber2", sieber2},
    RegisteredProblem{"hessenberg2", hessenberg2},
    RegisteredProblem{"moving_geometry", moving_geometry},
    RegisteredProblem{"jump", jump},
    RegisteredProblem{"trajectory", trajectory},
    RegisteredProblem{"circuit", circuit},
    RegisteredProblem{"bounce", bounce},
    RegisteredProblem{"foodweb", foodweb},
    RegisteredProblem{"linear", linear},
    RegisteredProblem{"drag", drag},
    RegisteredProblem{"mechanism", mechanism},
};
} // namespace

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : registry) all.emplace_back(entry.name);
  return all;
}

std::unique_ptr<dae::Problem> make(MPI_Comm comm, const core::Options& options) {
  const std::string chosen = options.choice("problem", "robertson", names(), {"which system to solve"});
  const auto found =
      std::find_if(registry.begin(), registry.end(), [&](const RegisteredProblem& e) { return chosen == e.name; });
  return found->make(comm, options);
}

} // namespace rhumb::problems
