#pragma once
/// A box and its fields as files want them: in natural order, whatever the number of ranks; and the volumes of points.

#include <rhumb/dae/system.hpp>
#include <rhumb/grid/box.hpp>
#include <rhumb/grid/geometry.hpp>

namespace rhumb::box {

using namespace grid;

Mesh box_mesh(const Box& box);

/// The fields of y, one block each, at the points.
std::vector<FieldBlock> box_fields(const Box& box, const std::vector<dae::Field>& fields, Vec y);

/// One more field at the points, from this rank's values.
FieldBlock box_field(const Box& box, const dae::Field& field, std::vector<double> values);

std::vector<PetscInt> box_natural_indices(const Box& box);

/// For System::volumes: those of a uniform grid.
core::VecHandle box_volumes(const Box& box);

} // namespace rhumb::box
