#pragma once
/// Networks in each of the formats; read_network chooses by the name of the file.

#include <rhumb/physics/network/network.hpp>

namespace rhumb::network {

/// More cells than any pipe can need.
inline constexpr long max_cells = 10'000'000;

/// Our own YAML. Time series may be in CSV files beside it.
Network read_yaml(const std::string& file);

/// GasLib's XML (https://gaslib.zib.de): nodes, pipes and machines of `file`, flows and pressures of `scenario`. A
/// pressure with bound="both" is held; compressors and control valves have no set point there and stand open.
Network read_gaslib(const std::string& file, const std::string& scenario);

/// JSON with `nodes`, `pipes` and `compressors`; `scenario` has `boundary_pslack`, `boundary_nonslack_flow` (what
/// leaves, kg/s) and `boundary_compressor`. Temperature and specific gravity come from a params.json beside it, if
/// there is one.
Network read_json(const std::string& file, const std::string& scenario);

} // namespace rhumb::network
