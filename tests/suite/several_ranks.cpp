#include <cstdlib>
#include <gtest/gtest.h>
#include <petscsys.h>
#include <string>

TEST(Suite, TestsRunInsideASession) {
  PetscBool initialised = PETSC_FALSE;
  PetscInitialized(&initialised);
  EXPECT_TRUE(initialised);
}

TEST(Suite, MpirunStartsAsManyRanksAsAsked) {
  const char* asked = std::getenv("OMPI_COMM_WORLD_SIZE");
  ASSERT_NE(asked, nullptr);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(std::to_string(size), asked);
}
