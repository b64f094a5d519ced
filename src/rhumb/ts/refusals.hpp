#pragma once
/// What TS type rhumb does not solve, and options that it does not heed, said before it begins.

#include <rhumb/ts/kinds.hpp>
#include <rhumb/ts/settings.hpp>

namespace rhumb::ts {

/// Equations of second order, or none at all.
void reject_what_is_not_offered(TS ts);

/// On standard error; refusing them would keep programs from running that set them for other types.
void report_unused_options(TS ts);

/// Variables of index 3 with variable steps and a test that is not made for them (P82 section 3).
void reject_index_three(TS ts, const TsSettings& settings, const Kinds& kinds);

} // namespace rhumb::ts
