#include <gtest/gtest.h>
#include <mpi.h>

TEST(Suite, FailsOnTheLastRankOnly) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_NE(rank, size - 1);
}
