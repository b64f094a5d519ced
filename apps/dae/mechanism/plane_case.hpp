#pragma once
/// Plane mechanisms from a YAML file (docs/guide/mechanisms.md) and the chain of links.

#include <rhumb/physics/mechanics/mechanism.hpp>

namespace rhumb::problems::plane {

/// Throws core::BadInput, naming the file and the line.
mechanics::Assembly read_plane_mechanism(const std::string& file);

/// A chain of `links` rods of length 1/links and mass 1/links, held at the origin, released in a horizontal line.
mechanics::Assembly chain(std::size_t links);

} // namespace rhumb::problems::plane
