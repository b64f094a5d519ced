/// Netlists: what is read, what the topology says, and which line a bad one is refused for.

#include "netlist.hpp"
#include <rhumb/core/failure.hpp>
#include <gtest/gtest.h>
#include <sstream>

using namespace rhumb;
using problems::Netlist;

namespace {

Netlist read(const std::string& text) {
  std::istringstream in(text);
  return problems::read_netlist(in, "net");
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const core::BadInput& bad) {
    return bad.what();
  }
  return "accepted";
}

/// The voltages around a loop add up to zero for any potentials of the nodes.
void expect_closed(const Netlist& net, const problems::Loop& loop) {
  std::vector<double> potential{0.0, 1.7, -2.3, 4.1, 0.9};
  double sum = 0.0;
  for (const auto& [b, direction] : loop) {
    const auto& branch = net.branches[b];
    sum += direction * (potential[branch.from] - potential[branch.to]);
  }
  EXPECT_NEAR(sum, 0.0, 1e-14);
}

TEST(Netlist, ReadsBranchesInTheOrderSourcesCapacitorsResistors) {
  const auto net = read("R1 a 0 10 # load\n\nC1 a b 1e-6 0.5\nV1 b 0 sin 1 2 50\nend 0.1\n");
  ASSERT_EQ(net.branches.size(), 3u);
  EXPECT_EQ(net.branches[0].name, "V1");
  EXPECT_EQ(net.branches[1].name, "C1");
  EXPECT_EQ(net.branches[2].name, "R1");
  EXPECT_EQ(net.branches[1].start, 0.5);
  EXPECT_EQ(net.branches[2].value, 10.0);
  EXPECT_NEAR(net.branches[0].source_voltage(0.005), 3.0, 1e-12);
  EXPECT_NEAR(net.branches[0].source_derivative(0.01), -2.0 * 2.0 * 3.14159265358979 * 50.0, 1e-6);
  EXPECT_EQ(net.end, 0.1);
  EXPECT_EQ(net.nodes, (std::vector<std::string>{"a", "b"}));
}

TEST(Netlist, NetworkWithoutLoopOfSourcesAndCapacitorsHasNone) {
  EXPECT_TRUE(read("V1 a 0 dc 1\nR1 a b 1\nC1 b 0 1\nC2 b c 1\nR2 c 0 1\n").loops.empty());
}

TEST(Netlist, EveryLoopClosesAndIsClosedByACapacitor) {
  const auto net =
      read("C1 a b 1\nC2 b c 1\nC3 c a 1\nV1 d 0 dc 1\nC4 0 c 1\nC5 c d 1\nC6 a c 1\nC7 a 0 1\nR1 b 0 1\n");
  ASSERT_EQ(net.loops.size(), 4u); // 8 branches, 4 of them in a tree over 5 nodes
  for (const auto& loop : net.loops) {
    EXPECT_EQ(net.branches[loop.front().first].type, problems::Branch::Type::capacitor);
    EXPECT_GE(loop.size(), 2u);
    expect_closed(net, loop);
  }
}

TEST(Netlist, BadLinesAreRefusedWithTheirNumber) {
  EXPECT_NE(refusal("V1 a 0 dc 1\nL1 a 0 1\n").find("net, line 2: 'L1' is no branch"), std::string::npos);
  EXPECT_NE(refusal("R1 a 0 1k\n").find("line 1: the resistance '1k' is not a number"), std::string::npos);
  EXPECT_NE(refusal("\nR1 a 0 -1\n").find("line 2: the resistance must be positive"), std::string::npos);
  EXPECT_NE(refusal("C1 a 0\n").find("the capacitance is missing"), std::string::npos);
  EXPECT_NE(refusal("C1 a\n").find("two nodes"), std::string::npos);
  EXPECT_NE(refusal("C1 a 0 1 0 7\n").find("'7' is one word too many"), std::string::npos);
  EXPECT_NE(refusal("V1 a 0 5\n").find("'dc VOLTAGE'"), std::string::npos);
  EXPECT_NE(refusal("R1 a 0 1\nR1 a 0 1\n").find("line 2: a branch 'R1'"), std::string::npos);
  EXPECT_NE(refusal("R1 a a 1\n").find("connects node a with itself"), std::string::npos);
  EXPECT_NE(refusal("# nothing\n").find("no branch"), std::string::npos);
}

TEST(Netlist, NetworksThatMakeNoSystemAreRefused) {
  EXPECT_NE(refusal("V1 a 0 dc 1\nV2 a 0 dc 2\n").find("line 2: V2 closes a loop of voltage sources"),
            std::string::npos);
  EXPECT_NE(refusal("V1 a 0 dc 1\nR1 a 0 1\nC1 b c 1\n").find("node b has no path to ground"), std::string::npos);
  EXPECT_THROW(problems::read_netlist("no/such/file.net"), core::BadInput);
}

} // namespace
