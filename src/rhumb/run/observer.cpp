#include <rhumb/run/observer.hpp>

#include <rhumb/io/checkpoint.hpp>

namespace rhumb::run {

double served_through(const io::Restart& from) {
  return from.scalar("run.served_through");
}

} // namespace rhumb::run
