/// Mechanisms that cannot be used are refused with the file, the line and the reaction.

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/combustion/equation_text.hpp>
#include <rhumb/physics/combustion/mechanism.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>
#include <unistd.h>

namespace {

using namespace rhumb;

const std::string head = R"(units: {length: cm, time: s, quantity: mol, activation-energy: cal/mol}
phases:
- name: two
  thermo: ideal-gas
  species: [O, O2]
species:
- name: O
  composition: {O: 1}
  thermo:
    model: NASA7
    temperature-ranges: [200.0, 1000.0]
    data:
    - [2.5, 0, 0, 0, 0, 29122.0, 2.0]
- name: O2
  composition: {O: 2}
  thermo:
    model: NASA7
    temperature-ranges: [200.0, 1000.0]
    data:
    - [3.5, 0, 0, 0, 0, -1063.0, 3.6]
reactions:
)";
constexpr int first_reaction_line = 22;
const std::string good =
    "- equation: 2 O + M <=> O2 + M\n  type: three-body\n  rate-constant: {A: 5e+17, b: -1.0, Ea: 0.0}\n";

class BadMechanism : public testing::Test {
protected:
  /// What the reader says about a mechanism; empty when it takes it.
  std::string complaint(const std::string& text) {
    std::ofstream(file_) << text;
    try {
      combustion::read_mechanism(file_);
      return "";
    } catch (const core::BadInput& failure) {
      return failure.what();
    }
  }
  std::string replaced(std::string text, const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
    return text;
  }
  void TearDown() override { std::filesystem::remove(file_); }

  std::string file_ = fmt::format("{}bad_mechanism_{}.yaml", testing::TempDir(), getpid());
};

#define EXPECT_SAYS(message, text)                                                                                     \
  EXPECT_NE((message).find(text), std::string::npos) << "it says \"" << (message) << "\", not \"" << (text) << '"'

TEST_F(BadMechanism, TheGoodOneIsTaken) {
  EXPECT_EQ(complaint(head + good), "");
  const auto gas = combustion::read_mechanism(file_);
  EXPECT_EQ(gas.reactions.size(), 1U);
  EXPECT_NEAR(gas.reactions[0].rate.A / 5e5, 1.0, 1e-12); // cm^6/mol^2: 1e-12
}

TEST_F(BadMechanism, AnUnknownSpeciesIsNamedWithTheNearest) {
  const auto said = complaint(head + replaced(good, "<=> O2", "<=> O3"));
  EXPECT_SAYS(said, fmt::format("{}:{}: reaction `2 O + M <=> O3 + M`", file_, first_reaction_line));
  EXPECT_SAYS(said, "the species `O3` is not known; did you mean O?");
}

TEST_F(BadMechanism, AReactionThatLosesAtomsIsRefused) {
  const auto said = complaint(head + replaced(good, "2 O + M", "O + M"));
  EXPECT_SAYS(said, fmt::format("{}:{}: reaction `O + M <=> O2 + M`", file_, first_reaction_line));
  EXPECT_SAYS(said, "1 atoms of O become 2");
}

TEST_F(BadMechanism, APhaseWithoutSpeciesIsRefused) {
  EXPECT_SAYS(complaint(replaced(head, "[O, O2]", "[]")), fmt::format("{}:5: the phase has no species", file_));
}

TEST_F(BadMechanism, MissingThermodynamicsAreRefused) {
  auto text = head;
  const auto at = text.rfind("  thermo:");
  text.erase(at, text.find("reactions:") - at);
  const auto said = complaint(text + good);
  EXPECT_SAYS(said, fmt::format("{}:14: species O2", file_));
  EXPECT_SAYS(said, "no thermodynamics");
}

TEST_F(BadMechanism, TextsForNumbersAreRefused) {
  const auto quoted = complaint(head + replaced(good, "5e+17", "\"5e+17\""));
  EXPECT_SAYS(quoted, fmt::format("{}:{}: reaction `2 O + M <=> O2 + M`", file_, first_reaction_line + 2));
  EXPECT_SAYS(quoted, "not a number");
  EXPECT_SAYS(complaint(head + replaced(good, "5e+17", "5e+17 cm^6/mol^2/s")), "not a number");
  EXPECT_SAYS(complaint(head + replaced(good, "Ea: 0.0", "Ea: none")), "Ea is `none`");
  EXPECT_SAYS(complaint(replaced(head, "29122.0", "'29122.0'") + good), "species O: a coefficient is the text");
}

TEST_F(BadMechanism, WhatIsNotUnderstoodIsRefused) {
  EXPECT_SAYS(complaint(head + replaced(good, "three-body", "Lindemann")), "type `Lindemann`");
  EXPECT_SAYS(complaint(head + replaced(good, "three-body", "falloff")), "its third bodies are not those of one");
  EXPECT_SAYS(complaint(head + replaced(good, "  rate-constant", "  rate-konstant")), "did you mean `rate-constant`?");
  EXPECT_SAYS(complaint(head + replaced(good, ", Ea: 0.0", "")), "`Ea` is missing");
  EXPECT_SAYS(complaint(head + replaced(good, "5e+17", "-5e+17")), "A must be > 0");
  EXPECT_SAYS(complaint(head + good + "  efficiencies: {N2: 2.0}\n"), "the species `N2` is not known");
  EXPECT_SAYS(complaint(replaced(head, "cal/mol", "BTU/lb") + good), "unit `BTU/lb`");
  EXPECT_SAYS(complaint(replaced(head, "species: [O, O2]", "species: [O, O2, O3]") + good), "`O3` of the phase");
  EXPECT_SAYS(complaint(replaced(head, "composition: {O: 2}", "composition: {Q: 2}") + good), "element `Q`");
  EXPECT_SAYS(complaint("phases: ["), "not YAML");
  EXPECT_SAYS(complaint(head + good + good), "`duplicate: true`");
}

TEST_F(BadMechanism, WhatHasNoMeaningInAReactionIsRefused) {
  const std::string one_way = "- equation: O2 => 2 O\n  rate-constant: {A: 1e+5, b: 0.0, Ea: 0.0}\n";
  const std::string rate = "{A: 1e+5, b: 0.0, Ea: 0.0}\n";
  const std::string falloff = "- equation: 2 O (+O2) <=> O2 (+O2)\n  type: falloff\n  high-P-rate-constant: " + rate +
                              "  low-P-rate-constant: " + rate;
  EXPECT_EQ(complaint(head + one_way + falloff), "");
  EXPECT_SAYS(complaint(head + one_way + "  default-efficiency: 0.5\n"), "`default-efficiency` has no meaning here");
  EXPECT_SAYS(complaint(head + one_way + "  efficiencies: {O: 0.5}\n"), "reactions with a third body");
  for (const char* key : {"high-P-rate-constant", "low-P-rate-constant"})
    EXPECT_SAYS(complaint(head + one_way + "  " + key + ": " + rate), "belongs to falloff reactions");
  EXPECT_SAYS(complaint(head + falloff + "  rate-constant: " + rate), "`rate-constant` has no meaning here");
  EXPECT_SAYS(complaint(head + falloff + "  efficiencies: {O: 2.0}\n"), "the only third body is O2");
  EXPECT_SAYS(complaint(head + falloff + "  default-efficiency: 2.0\n"), "the only third body is O2");
}

TEST_F(BadMechanism, ReactionsAreTwiceThereOnlyWhenTheyDoTheSame) {
  const std::string rate = "  rate-constant: {A: 1e+5, b: 0.0, Ea: 0.0}\n";
  const std::string there = "- equation: O2 => 2 O\n" + rate, back = "- equation: 2 O => O2\n" + rate,
                    both = "- equation: 2 O <=> O2\n" + rate;
  EXPECT_EQ(complaint(head + there + back), "");
  EXPECT_SAYS(complaint(head + there + there), "`duplicate: true`");
  EXPECT_SAYS(complaint(head + there + both), "`duplicate: true`");
  EXPECT_SAYS(complaint(head + both + back), "`duplicate: true`");
  const auto with = [](const std::string& body) {
    return "- equation: 2 O (+" + body + ") <=> O2 (+" + body +
           ")\n  high-P-rate-constant: {A: 1e+5, b: 0.0, Ea: 0.0}\n  low-P-rate-constant: {A: 1e+5, b: 0.0, Ea: 0.0}\n";
  };
  EXPECT_EQ(complaint(head + with("O") + with("O2")), "");
  EXPECT_EQ(complaint(head + with("O") + with("M") + "  efficiencies: {O: 0.0}\n"), "");
  EXPECT_SAYS(complaint(head + with("O") + with("M")), "`duplicate: true`");
  EXPECT_SAYS(complaint(head + with("O") + with("O")), "`duplicate: true`");
}

TEST_F(BadMechanism, ReferencePressuresAreRead) {
  const std::string model = "model: NASA7\n";
  const auto at = [&](const std::string& one, const std::string& other, const std::string& units) {
    auto text = replaced(head, "cal/mol", "cal/mol" + units);
    text.insert(text.find(model) + model.size(), one.empty() ? "" : "    reference-pressure: " + one + "\n");
    text.insert(text.rfind(model) + model.size(), other.empty() ? "" : "    reference-pressure: " + other + "\n");
    return text + good;
  };
  EXPECT_EQ(complaint(at("1.0", "1.0", ", pressure: bar")), "");
  EXPECT_EQ(combustion::read_mechanism(file_).species[1].thermo.reference_pressure, 1e5);
  EXPECT_EQ(complaint(at("2e5", "2e5", "")), "");
  EXPECT_EQ(combustion::read_mechanism(file_).species[0].thermo.reference_pressure, 2e5);
  EXPECT_SAYS(complaint(at("1e5", "", "")), "the species O and O2 have different reference pressures");
  EXPECT_SAYS(complaint(at("0.0", "0.0", "")), "reference-pressure must be > 0");
  EXPECT_SAYS(complaint(at("1e5", "1e5", ", pressure: psi")), "unit `psi` of pressure");
  EXPECT_SAYS(complaint(replaced(head, model, model + "    reference-presure: 1e5\n") + good),
              "did you mean `reference-pressure`?");
}

TEST_F(BadMechanism, ActivationEnergiesWithoutAUnitArePerQuantity) {
  const auto text = replaced(good, "Ea: 0.0", "Ea: 1000.0");
  EXPECT_EQ(complaint(replaced(head, ", activation-energy: cal/mol", "") + text), ""); // J/mol
  EXPECT_NEAR(combustion::read_mechanism(file_).reactions[0].rate.activation_temperature, 120.27, 0.01);
  EXPECT_SAYS(complaint(replaced(head, "activation-energy: cal/mol", "energy: cal") + text), "`activation-energy`");
}

TEST(EquationText, IsTakenApart) {
  const auto e = combustion::parse_equation("2 OH (+M) <=> H2O2 (+ M)");
  EXPECT_TRUE(e.reversible);
  ASSERT_EQ(e.left.terms.size(), 1U);
  EXPECT_EQ(e.left.terms[0], (std::pair<std::string, int>("OH", 2)));
  EXPECT_EQ(e.left.third, combustion::EquationText::Third::falloff);
  EXPECT_FALSE(combustion::parse_equation("H + O2 => HO2").reversible);
  EXPECT_EQ(combustion::parse_equation("O2 + O2 = O + O3").left.terms[0].second, 2);
}

TEST(EquationText, WithoutSenseIsRefused) {
  for (const char* text : {"H + O2", "H + <=> O2", "H O2 <=> HO2", "H + O2 + M <=> HO2", "1.5 O2 <=> O3", " <=> O2",
                           "2 OH (+M) <=> H2O2 (+AR)"})
    EXPECT_THROW(combustion::parse_equation(text), std::invalid_argument) << text;
}

} // namespace
