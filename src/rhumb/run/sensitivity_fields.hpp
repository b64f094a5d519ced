#pragma once
/// The derivatives of fields and series by parameters, for snapshots: s_<field>_<parameter>, s_<series>_<parameter>.
/// Fields of a problem in space are differentiated through the code that makes them, node by node: on a moving mesh they
/// are derivatives at a node, not at a position.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/io/snapshot.hpp>

namespace rhumb::run {

/// At t in the integrator's last step, where the solution is (y, y'). Collective.
io::Additions sensitivity_fields(bdf::Integrator& integrator, const bdf::Sensitivities& wanted, dae::Problem& problem,
                                 double t, Vec y, Vec ydot);

} // namespace rhumb::run
