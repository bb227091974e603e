#include "ui/user_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace sluice::app {
namespace {

// A variable of the environment, and as it was when this ends.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(UserFiles, AreWhereTheSpecificationHasThem) {
  const Variable home("HOME", "/home/me");
  {
    const Variable config("XDG_CONFIG_HOME", "/c"), state("XDG_STATE_HOME", "/s");
    EXPECT_EQ(ConfigFile("ui.toml"), "/c/sluice/ui.toml");
    EXPECT_EQ(StateFile("ui.toml"), "/s/sluice/ui.toml");
  }
  const Variable config("XDG_CONFIG_HOME", "relative"), state("XDG_STATE_HOME", "");
  EXPECT_EQ(ConfigFile("ui.toml"), "/home/me/.config/sluice/ui.toml");
  EXPECT_EQ(StateFile("ui.toml"), "/home/me/.local/state/sluice/ui.toml");
  const Variable nowhere("HOME", "");
  EXPECT_EQ(ConfigFile("ui.toml"), "") << "there is no home";
}

}  // namespace
}  // namespace sluice::app
