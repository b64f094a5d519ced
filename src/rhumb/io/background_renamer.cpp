#include <rhumb/io/background_renamer.hpp>

#include <csignal>
#include <pthread.h>
#include <set>

namespace rhumb::io {

namespace {
/// So many files of a slow disk may lag behind the run.
constexpr std::size_t most_waiting = 16;

void rename_all(const std::vector<Path>& files) {
  for (const Path& file : files) make_durable(file);
  std::set<Path> folders;
  for (const Path& file : files) {
    rename_draft(file);
    folders.insert(file.parent_path());
  }
  for (const Path& folder : folders) flush_folder(folder);
}
} // namespace

BackgroundRenamer::~BackgroundRenamer() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

/// Signals are for the thread that computes.
void BackgroundRenamer::start() {
  sigset_t all{}, before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void BackgroundRenamer::enqueue(const Path& file) {
  if (!thread_.joinable()) start();
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < most_waiting; });
    throw_failure();
    waiting_.push_back(file);
  }
  changed_.notify_all();
}

void BackgroundRenamer::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty(); });
  throw_failure();
}

void BackgroundRenamer::throw_failure() {
  if (failure_) std::rethrow_exception(failure_);
}

/// Takes all that wait at once: a disk that has made one file durable has mostly made the others too, and a folder
/// needs to be flushed once only.
void BackgroundRenamer::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return over_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::vector<Path> batch(waiting_.begin(), waiting_.end());
    if (!failure_) { // after a failure no file appears without those before it
      lock.unlock();
      std::exception_ptr failure;
      try {
        rename_all(batch);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      failure_ = failure;
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(batch.size()));
    changed_.notify_all();
  }
}

} // namespace rhumb::io
