#pragma once
/// The integrator as a PETSc TS type: after `rhumb::register_ts()` a program says TSSetType(ts, "rhumb") or
/// -ts_type rhumb. A program that does not link Rhumb gets the same from -dll_append librhumb_ts.so.

namespace rhumb::ts {

/// The name of the TS type.
inline constexpr const char* type_name = "rhumb";

/// Makes the TS type known to PETSc. After PetscInitialize; calling it twice does no harm.
void register_ts();

} // namespace rhumb::ts

namespace rhumb {
using ts::register_ts;
}
