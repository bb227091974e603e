#include "web/live_web_config.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "sluice/exporters/write_file.h"

namespace sluice::exporters {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kAlice =
    "basic_auth_users:\n"
    "  alice: $2y$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234\n";
const std::string kBob =
    "basic_auth_users:\n"
    "  bob: $2y$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234\n";

Result<void> AskForPasswords(const WebConfig& config) {
  if (AsksWhoTheyAre(config)) return {};
  return Fail("nobody is asked who they are");
}

class LiveWebConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-web-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    Write(kAlice);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string File() const { return (folder_ / "web.yml").string(); }
  void Write(const std::string& text) const { ASSERT_TRUE(WriteFile(File(), text).has_value()); }
  [[nodiscard]] LiveWebConfig Live() const {
    auto live = LiveWebConfig::Read(File(), AskForPasswords);
    EXPECT_TRUE(live.has_value()) << live.error().message;
    return std::move(*live);
  }

  std::filesystem::path folder_;
};

std::string UserOf(const LiveWebConfig& live) {
  return live.config().users.empty() ? "nobody" : live.config().users.begin()->first;
}

TEST_F(LiveWebConfigTest, ChangesWithItsFile) {
  LiveWebConfig live = Live();
  const BasicAuth* before = live.auth();
  EXPECT_THAT(live.LookAgain(), IsEmpty());
  EXPECT_EQ(live.auth(), before) << "what did not change was read again";
  Write(kBob + "rate_limit: 5\n");
  EXPECT_THAT(live.LookAgain(), ElementsAre(HasSubstr("web.yml:3: rate_limit is not known")));
  EXPECT_EQ(UserOf(live), "bob");
  EXPECT_THAT(live.LookAgain(), IsEmpty());
}

TEST_F(LiveWebConfigTest, StaysAsItWasWhileTheFileIsBroken) {
  LiveWebConfig live = Live();
  Write("basic_auth_users: [bob]\n");
  EXPECT_THAT(live.LookAgain(),
              ElementsAre(testing::AllOf(HasSubstr("web.yml:1: basic_auth_users must be a table"),
                                         HasSubstr("what held before goes on"))));
  EXPECT_THAT(live.LookAgain(), IsEmpty()) << "told twice";
  EXPECT_EQ(UserOf(live), "alice");
  std::filesystem::remove(File());
  EXPECT_THAT(live.LookAgain(), ElementsAre(HasSubstr("No such file")));
  EXPECT_EQ(UserOf(live), "alice");
  Write(kBob);
  EXPECT_THAT(live.LookAgain(), IsEmpty());
  EXPECT_EQ(UserOf(live), "bob");
}

TEST_F(LiveWebConfigTest, DoesNotTakeAFileThatIsBeingWrittenForOneThatAsksNobody) {
  auto live = LiveWebConfig::Read(File(), [](const WebConfig&) { return Result<void>(); });
  ASSERT_TRUE(live.has_value());
  Write("");
  EXPECT_THAT(live->LookAgain(), IsEmpty());
  EXPECT_EQ(UserOf(*live), "alice");
  Write(kBob);
  EXPECT_THAT(live->LookAgain(), IsEmpty());
  EXPECT_EQ(UserOf(*live), "bob");
}

TEST_F(LiveWebConfigTest, DoesNotBecomeWhatWouldHaveBeenRefusedAtTheStart) {
  LiveWebConfig live = Live();
  Write("http_server_config: {}\n");
  EXPECT_THAT(live.LookAgain(), ElementsAre(HasSubstr("nobody is asked who they are")));
  Write(kBob + "tls_server_config: {cert_file: none.crt, key_file: none.key}\n");
  EXPECT_THAT(live.LookAgain(), ElementsAre(HasSubstr("none.crt: No such file")));
  EXPECT_THAT(live.LookAgain(), IsEmpty()) << "told twice";
  ASSERT_TRUE(WriteFile((folder_ / "none.crt").string(), "none").has_value());
  EXPECT_THAT(live.LookAgain(), ElementsAre(HasSubstr("none.key: No such file")))
      << "the missing file was not seen to come";
  EXPECT_EQ(UserOf(live), "alice");
}

TEST_F(LiveWebConfigTest, MayHaveNoFile) {
  auto live = LiveWebConfig::Read("", [](const WebConfig&) { return Result<void>(); });
  ASSERT_TRUE(live.has_value());
  EXPECT_THAT(live->LookAgain(), IsEmpty());
  EXPECT_EQ(live->auth(), nullptr);
  EXPECT_EQ(live->tls(), nullptr);
}

}  // namespace
}  // namespace sluice::exporters
