#include "problems.hpp"

#include <algorithm>
#include <array>

namespace rhumb::problems {

namespace {
struct Entry {
  const char* name;
  std::unique_ptr<dae::Problem> (*make)(MPI_Comm comm, const core::Options&);
};

constexpr std::array registry{
    Entry{"robertson", robertson}, Entry{"pendulum", pendulum},       Entry{"sieber1", sieber1},
    Entry{"sieber2", sieber2},     Entry{"hessenberg2", hessenberg2}, Entry{"moving_geometry", moving_geometry},
    Entry{"jump", jump},           Entry{"trajectory", trajectory},   Entry{"circuit", circuit},
    Entry{"bounce", bounce},       Entry{"foodweb", foodweb},         Entry{"linear", linear},
    Entry{"drag", drag},           Entry{"mechanism", mechanism},
};
} // namespace

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : registry) all.emplace_back(entry.name);
  return all;
}

std::unique_ptr<dae::Problem> make(MPI_Comm comm, const core::Options& options) {
  const std::string chosen = options.choice("problem", "robertson", names(), {"which system to solve"});
  const auto found = std::find_if(registry.begin(), registry.end(), [&](const Entry& e) { return chosen == e.name; });
  return found->make(comm, options);
}

} // namespace rhumb::problems
