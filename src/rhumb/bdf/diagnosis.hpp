#pragma once
/// What a failure looks like, in words: the likely cause, the evidence, what to try. P82 sections 3 and 5, BCP 5.3.2.
/// Pure: numbers in, text out.

#include <rhumb/bdf/options.hpp>
#include <rhumb/bdf/recovery.hpp>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::bdf {

/// One failed error test, in the step that was given up or in those before it that failed too.
struct FailedTest {
  double h = 0.0;
  double error = 0.0; ///< of the test, in tolerances
};

struct Evidence {
  Outcome last = Outcome::accepted;
  FailureCounts failures;
  bool step_too_small = false; ///< h fell below what t + h can resolve
  bool too_many_steps = false;
  double t = 0.0;                ///< last good time
  double h = 0.0;                ///< step of the last attempt
  double first_h = 0.0;          ///< step of the first attempt after t
  long steps = 0;                ///< accepted since the start or restart
  std::vector<FailedTest> tests; ///< in order
  std::string worst_field;       ///< of the error or correction
  std::string worst_place;       ///< "x = 0.25, y = 0.5"; empty: the field says it
  double worst_size = 0.0;       ///< in tolerances
  std::string singular;          ///< why the matrix is
  std::string unset_rows;        ///< fields of equations that the residual never sets
  std::string complaint;         ///< what the system itself said when it had no value
  bool has_index3 = false;       ///< a field says that it is of index 3
  double last_h = 0.0;           ///< of the last accepted step
  double longest_h = 0.0;        ///< of all steps so far
  std::string fastest_field;     ///< whose rate is largest in its tolerance, at the last accepted state
  std::string fastest_place;     ///< as worst_place
  double fastest_value = 0.0, fastest_rate = 0.0;
  double fastest_scale = 1.0; ///< of its size: |y| + atol/rtol
  double earlier_value = 0.0; ///< of the same entry, where the last step began
  bool direct = false;        ///< the linear solver in use is a direct one
  bool seeks_start = true;    ///< consistent start values were sought, not taken as given
  bool has_jacobian = false;  ///< the system has a matrix of its own, which nobody has compared with differences
  double condition = 0.0;     ///< of the iteration matrix, about; 0: not known
  double rounding = 0.0;      ///< what rounding alone may add to y in a solve with it, in tolerances
  /// A field that is not what it is declared to be, and the remedy; empty where none is.
  std::pair<std::string, std::string> wrong_kind;
};

enum class Cause : std::uint8_t {
  unset_rows,
  wrong_kind,
  index_three,
  inconsistent_start,
  discontinuity,
  blow_up,
  impasse,
  singular_matrix,
  residual_undefined,
  lost_sign,
  newton,
  tolerance,
  step_limit,
};

/// The likely cause.
Cause diagnose(const Evidence& evidence);

/// Some sentences: what happened, the likely cause with its evidence, what to try, with options as the caller spells them.
std::string explain(const Evidence& evidence, OptionSpelling spelled = spelled_as_member);

/// Why variable steps are not tried for a system that says it is of index 3.
std::string reject_index_three(const std::string& field, OptionSpelling spelled);

} // namespace rhumb::bdf
