#pragma once
/// Puts drafts in their places behind the run's back. Waiting for the disk costs milliseconds per file, in which a run
/// computes several steps; so one thread makes drafts durable and renames them, in the order in which they came. The
/// promise stays: a file under its name is complete, and when it is there so are all that were handed over before it.

#include <rhumb/io/atomic_file.hpp>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace rhumb::io {

class BackgroundRenamer {
public:
  BackgroundRenamer() = default;
  /// Waits for what was handed over.
  ~BackgroundRenamer();
  BackgroundRenamer(const BackgroundRenamer&) = delete;
  BackgroundRenamer& operator=(const BackgroundRenamer&) = delete;

  /// Takes over the finished draft `<name>.tmp` of `file`. Waits while too many are under way. Throws
  /// core::InputOutput when an earlier one failed.
  void enqueue(const Path& file);

  /// Until all are in their places. Throws core::InputOutput when one failed.
  void wait();

private:
  void work();
  void start();
  void throw_failure();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Path> waiting_; ///< those at the front are being worked on
  std::exception_ptr failure_;
  bool over_ = false;
  std::thread thread_; ///< started by the first draft
};

} // namespace rhumb::io
