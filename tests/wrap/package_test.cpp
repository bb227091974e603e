#include "sluice/wrap/package.h"

#include <gtest/gtest.h>

#include <fstream>

#include "probes/canned_tree.h"

namespace sluice::wrap {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLibraryCounts = false;
#else
constexpr bool kLibraryCounts = true;
#endif

TEST(FindPackage, FindsThatOfAnInstalledTree) {
  probes::CannedTree tree;
  tree.Write("/usr/bin/sluice", "");
  tree.Write("/usr/lib/sluice/python/sluice/inject/sitecustomize.py", "");
  tree.Write("/usr/lib/libsluice.so.1", "");
  const auto package = FindPackage(tree.root() + "/usr/bin/sluice");
  ASSERT_TRUE(package) << package.error().message;
  EXPECT_EQ(package->inject, tree.root() + "/usr/lib/sluice/python/sluice/inject");
  EXPECT_EQ(package->library, kLibraryCounts ? tree.root() + "/usr/lib/libsluice.so.1" : "");
}

TEST(FindPackage, FindsThatOfABuildTreeAndLetsThePackageLookForItsLibrary) {
  probes::CannedTree tree;
  tree.Write("/build/bin/sluice", "");
  tree.Write("/build/python/sluice/inject/sitecustomize.py", "");
  const auto package = FindPackage(tree.root() + "/build/bin/sluice");
  ASSERT_TRUE(package) << package.error().message;
  EXPECT_EQ(package->inject, tree.root() + "/build/python/sluice/inject");
  EXPECT_TRUE(package->library.empty());
}

TEST(FindPackage, FindsThatOfAWheelAroundTheProgram) {
  probes::CannedTree tree;
  tree.Write("/site-packages/sluice/_native/bin/sluice", "");
  tree.Write("/site-packages/sluice/inject/sitecustomize.py", "");
  tree.Write("/site-packages/sluice/_native/lib/libsluice.so.1", "");
  const auto package = FindPackage(tree.root() + "/site-packages/sluice/_native/bin/sluice");
  ASSERT_TRUE(package) << package.error().message;
  EXPECT_EQ(package->inject, tree.root() + "/site-packages/sluice/inject");
  EXPECT_EQ(package->library,
            kLibraryCounts ? tree.root() + "/site-packages/sluice/_native/lib/libsluice.so.1" : "");
}

TEST(FindPackage, SaysWhereItHasLooked) {
  const probes::CannedTree tree;
  const auto package = FindPackage(tree.root() + "/bin/sluice");
  ASSERT_FALSE(package);
  EXPECT_NE(package.error().message.find(tree.root() + "/python"), std::string::npos);
}

}  // namespace
}  // namespace sluice::wrap
