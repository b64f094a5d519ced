/// Files that are no files, or too much of one.

#include <rhumb/core/failure.hpp>
#include <rhumb/core/input_file.hpp>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace rhumb;

namespace {
class InputFile : public testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  static std::string refusal(const std::string& file, std::size_t most = 100) {
    try {
      core::read_input_file(file, most, "a test");
    } catch (const core::BadInput& bad) {
      return bad.what();
    }
    return "not refused";
  }
  const std::string folder_ = testing::TempDir() + "/rhumb_input_" + std::to_string(getpid());
  const std::string file_ = folder_ + "/file";
};
} // namespace

TEST_F(InputFile, IsReadWhole) {
  std::ofstream(file_) << "two\nlines";
  EXPECT_EQ(core::read_input_file(file_, 100, "a test"), "two\nlines");
}

TEST_F(InputFile, LargerThanItsKindCanBeIsRefusedBeforeItIsRead) {
  std::ofstream(file_) << "x";
  std::filesystem::resize_file(file_, std::uintmax_t{1} << 40U); // no disk has it: a hole
  EXPECT_EQ(refusal(file_), file_ + " has 1099511627776 bytes, too large for a test (at most 100)");
}

TEST_F(InputFile, AFifoDoesNotWait) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_EQ(refusal(file_), file_ + " is no regular file, a test must be one");
}

TEST_F(InputFile, ADeviceDoesNotGoOnForEver) {
  EXPECT_EQ(refusal("/dev/zero"), "/dev/zero is no regular file, a test must be one");
}

TEST_F(InputFile, AFolderIsNamedAsOne) {
  EXPECT_EQ(refusal(folder_), folder_ + " is a folder, not a test");
}

TEST_F(InputFile, WhatIsNotThereIsNamed) {
  EXPECT_EQ(refusal(file_), file_ + ": No such file or directory");
  EXPECT_NE(refusal(std::string("a\0b", 3)).find("NUL"), std::string::npos);
}
