#pragma once
/// The cases of rhumb-mesh.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <memory>

namespace rhumb::mesh_cases {

/// The case that -problem names.
std::unique_ptr<dae::Problem> make(core::Options& options);

std::unique_ptr<dae::Problem> reaction(core::Options& options);
std::unique_ptr<dae::Problem> burgers(core::Options& options);
std::unique_ptr<dae::Problem> dwyer_sanders(core::Options& options);
std::unique_ptr<dae::Problem> fisher(core::Options& options);
std::unique_ptr<dae::Problem> pdepe(core::Options& options);
std::unique_ptr<dae::Problem> wave(core::Options& options);

} // namespace rhumb::mesh_cases
