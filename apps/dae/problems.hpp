#pragma once
/// The small systems of the literature that `rhumb-dae -problem NAME` solves, one file each.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <memory>

namespace rhumb::problems {

std::unique_ptr<dae::Problem> robertson(core::Options& options);
std::unique_ptr<dae::Problem> pendulum(core::Options& options);
std::unique_ptr<dae::Problem> sieber1(core::Options& options);
std::unique_ptr<dae::Problem> sieber2(core::Options& options);
std::unique_ptr<dae::Problem> hessenberg2(core::Options& options);
std::unique_ptr<dae::Problem> moving_geometry(core::Options& options);
std::unique_ptr<dae::Problem> jump(core::Options& options);
std::unique_ptr<dae::Problem> trajectory(core::Options& options);
std::unique_ptr<dae::Problem> circuit(core::Options& options);
std::unique_ptr<dae::Problem> bounce(core::Options& options);
std::unique_ptr<dae::Problem> foodweb(core::Options& options);
std::unique_ptr<dae::Problem> linear(core::Options& options);

/// The names that -problem knows.
std::vector<std::string> names();

/// The problem that -problem names; throws core::BadInput, with the nearest name, where there is none.
std::unique_ptr<dae::Problem> make(core::Options& options);

} // namespace rhumb::problems
