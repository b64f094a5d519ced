#pragma once
/// Between our functions and the codes in C and Fortran that call them: nothing may be thrown through those.

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <cstdint>
#include <exception>
#include <utility>

namespace rhumb::bench {

class Fence {
public:
  /// again: F has no value there, or the matrix no factors; a shorter step may have.
  enum class Said : std::uint8_t { good, again, stop };

  template <class Call>
  Said operator()(const Call& call) noexcept {
    try {
      call();
      return Said::good;
    } catch (const core::Recoverable&) {
      return Said::again;
    } catch (const core::LibraryError&) {
      return Said::again;
    } catch (...) {
      failure_ = std::current_exception();
      return Said::stop;
    }
  }
  /// What made it say `stop`, once we are among ourselves.
  void rethrow() {
    if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
  }

private:
  std::exception_ptr failure_;
};

} // namespace rhumb::bench
