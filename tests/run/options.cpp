#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/run/help.hpp>
#include <rhumb/run/unread.hpp>
#include <gtest/gtest.h>
#include <petscsys.h>

using namespace rhumb::core;

namespace {
/// Each test sees the options it sets and no others.
class OptionsTest : public testing::Test {
protected:
  void set(const std::string& name, const char* value) { options.set(name, value ? value : ""); }
  /// What the refusal says.
  template <class Read>
  static std::string refusal(Read&& read) {
    try {
      read();
    } catch (const BadInput& bad) {
      return bad.what();
    }
    return "not refused";
  }
  Options options;
};
} // namespace

TEST_F(OptionsTest, ADefaultHoldsUntilTheUserSaysOtherwise) {
  EXPECT_EQ(options.real("a", 0.5, {"a number"}), 0.5);
  EXPECT_FALSE(options.declared().at(0).given);
  set("a", "2");
  EXPECT_EQ(options.real("a", 0.5, {"a number"}), 2.0);
  ASSERT_EQ(options.declared().size(), 1U); // reading again does not declare twice
  EXPECT_TRUE(options.declared().at(0).given);
  EXPECT_EQ(options.declared().at(0).value, "2");
  EXPECT_EQ(options.declared().at(0).default_value, "0.5");
}

TEST_F(OptionsTest, ANumberWithSomethingBehindItIsRefused) {
  set("a", "1e-5x");
  EXPECT_EQ(refusal([&] { options.real("a", 1.0, {""}); }), "option -a 1e-5x: a number is wanted");
  EXPECT_EQ(refusal([&] { options.integer("a", 1, {""}); }), "option -a 1e-5x: an integer is wanted");
}

TEST_F(OptionsTest, AMissingValueIsRefused) {
  set("a", nullptr);
  EXPECT_EQ(refusal([&] { options.real("a", 1.0, {""}); }), "option -a needs a value: a number is wanted");
  EXPECT_EQ(refusal([&] { options.string("a", "", {""}); }), "option -a needs a value: a word is wanted");
  EXPECT_TRUE(options.flag("a", false, {""}));
}

TEST_F(OptionsTest, ANumberOutOfRangeIsRefusedWithTheRange) {
  set("a", "0");
  EXPECT_EQ(options.real("a", 1.0, {""}, Range::at_least(0.0)), 0.0);
  EXPECT_EQ(refusal([&] { options.real("a", 1.0, {""}, Range::positive()); }),
            "option -a 0: out of range, must be > 0");
  set("a", "6");
  EXPECT_EQ(refusal([&] { options.integer("a", 1, {""}, Range::between(1, 5)); }),
            "option -a 6: out of range, must be 1 ... 5");
}

TEST_F(OptionsTest, AnUnknownChoiceIsRefusedWithTheNearest) {
  set("a", "smoth");
  EXPECT_EQ(refusal([&] {
              options.choice("a", "dassl", {"dassl", "smooth"}, {""});
            }),
            "option -a smoth: must be one of dassl, smooth; did you mean smooth?");
  set("a", "smooth");
  EXPECT_EQ(options.choice("a", "dassl", {"dassl", "smooth"}, {""}), "smooth");
}

TEST_F(OptionsTest, EveryPartOfAListMustBeGood) {
  set("a", "1,2.5");
  EXPECT_EQ(options.reals("a", {}, {""}), (std::vector<double>{1.0, 2.5}));
  EXPECT_EQ(refusal([&] { options.integers("a", {}, {""}); }), "option -a 2.5: an integer is wanted");
  set("a", "1,,2");
  EXPECT_NE(refusal([&] { options.reals("a", {}, {""}); }), "not refused");
  set("a", "4,-1");
  EXPECT_NE(refusal([&] { options.integers("a", {}, {""}, Range::at_least(0)); }), "not refused");
  set("a", nullptr);
  EXPECT_NE(refusal([&] { options.integers("a", {}, {""}); }), "not refused");
}

TEST_F(OptionsTest, AnOptionNobodyReadsIsRefusedWithTheNearestName) {
  using rhumb::run::Moment;
  using rhumb::run::reject_unknown_options;
  options.real("dae_rtol", 1e-4, {""});
  set("dae_rtoll", "1e-5");
  EXPECT_EQ(refusal([&] { reject_unknown_options(options, "dae_", Moment::before_start); }),
            "option -dae_rtoll is not known here, did you mean -dae_rtol? -help lists the options");
}

TEST_F(OptionsTest, AnOptionOfTheIntegratorWithoutItsPrefixIsAnsweredWithTheWholeName) {
  set("rtol", "1e-5");
  options.real("dae_rtol", 1e-4, {"relative tolerance"});
  options.real("rtot", 1e-4, {"nearer by letters"});
  EXPECT_EQ(refusal([&] { rhumb::run::reject_unknown_options(options, "dae_", rhumb::run::Moment::before_start); }),
            "option -rtol is not known here, did you mean -dae_rtol? -help lists the options");
}

TEST_F(OptionsTest, CellsMayBeGivenAs64x32) {
  set("n", "64x32");
  EXPECT_EQ(options.integers("n", {1}, {"cells"}), (std::vector<long>{64, 32}));
}

TEST_F(OptionsTest, HelpSearchesNamesAndTexts) {
  options.real("mass", 1.0, {"of the bob", "kg"});
  options.real("dae_rtol", 1e-4, {"relative tolerance"});
  const auto has = [&](const std::string& word, const std::string& text) {
    return rhumb::run::help_text("app", options, word).find(text) != std::string::npos;
  };
  EXPECT_TRUE(has("", "Integrator:") && has("", "-mass "));
  EXPECT_TRUE(has("TOLERANCE", "-dae_rtol "));
  EXPECT_FALSE(has("tolerance", "-mass "));
  EXPECT_TRUE(has("zebra", "no option of app has 'zebra'"));
}

TEST_F(OptionsTest, OptionsOfThePreconditionersPartsHaveTimeUntilTheFirstStep) {
  using rhumb::run::Moment;
  using rhumb::run::reject_unknown_options;
  set("dae_sub_pc_typ", "ilu");
  set("log_view", nullptr); // PETSc reads it when it ends
  EXPECT_EQ(refusal([&] { reject_unknown_options(options, "dae_", Moment::before_start); }), "not refused");
  EXPECT_EQ(refusal([&] { reject_unknown_options(options, "dae_", Moment::after_first_step); }),
            "option -dae_sub_pc_typ is not known here, did you mean -dae_sub_pc_type? -help lists the options");
}

TEST_F(OptionsTest, HelpTellsUnitDefaultAndRange) {
  set("mass", "3");
  options.real("mass", 1.0, {"of the bob", "kg"}, Range::positive());
  options.choice("dae_start", "find", {"find", "given"}, {"start values"});
  const std::string text = rhumb::run::help_text("app", options);
  EXPECT_NE(text.find("-mass                    of the bob (in kg; default 1; > 0; now 3)"), std::string::npos) << text;
  EXPECT_NE(text.find("-dae_start               start values (default find; find|given)"), std::string::npos) << text;
}
