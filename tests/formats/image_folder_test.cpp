#include "sluice/formats/image_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/scratch_folder.h"

namespace sluice::formats {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Paths from the root, with labels.
std::vector<std::string> Listed(const ScratchFolder& folder) {
  const auto found = ListImageFolder(folder.Path());
  if (!found) return {found.error().message};
  std::vector<std::string> names;
  for (const ImageFile& file : found->files)
    names.push_back(file.path.substr(folder.Path().size() + 1) + " " + std::to_string(file.label));
  return names;
}

TEST(ImageFolder, LabelsClassesInTheOrderOfTheirBytes) {
  const ScratchFolder folder;
  for (const char* name : {"b/1.jpg", "a/2.png", "a/10.jpeg", "B/x.JPG", "\xc3\xa4/y.jpg"})
    folder.Write(name, "x");
  EXPECT_THAT(Listed(folder),
              ElementsAre("B/x.JPG 0", "a/10.jpeg 1", "a/2.png 1", "b/1.jpg 2", "\xc3\xa4/y.jpg 3"));
}

// What torchvision's ImageFolder gives for the same tree: folders by whole path ('-' sorts before '/').
TEST(ImageFolder, TakesNestedFoldersInTorchvisionsOrder) {
  const ScratchFolder folder;
  for (const char* name : {"c/s/d/1.jpg", "c/s-t/2.jpg", "c/s/3.jpg", "c/z.jpg", "c/A/4.jpg"})
    folder.Write(name, "x");
  EXPECT_THAT(Listed(folder),
              ElementsAre("c/z.jpg 0", "c/A/4.jpg 0", "c/s/3.jpg 0", "c/s-t/2.jpg 0", "c/s/d/1.jpg 0"));
}

TEST(ImageFolder, LeavesOtherFilesAlone) {
  const ScratchFolder folder;
  for (const char* name : {"c/1.jpg", "c/1.txt", "c/jpg", "c/2.jpg.sluice-tmp", "readme.jpg"})
    folder.Write(name, "x");
  EXPECT_THAT(Listed(folder), ElementsAre("c/1.jpg 0"));
}

TEST(ImageFolder, FollowsLinksButNotInCircles) {
  const ScratchFolder folder;
  folder.Write("c/1.jpg", "x");
  folder.Write("elsewhere/deep/2.jpg", "x");
  std::filesystem::create_directory_symlink(folder.Path("c"), folder.Path("c/again"));
  std::filesystem::create_directory_symlink(folder.Path("elsewhere/deep"), folder.Path("c/far"));
  std::filesystem::create_symlink(folder.Path("c/1.jpg"), folder.Path("c/one.jpg"));
  EXPECT_THAT(Listed(folder),
              ElementsAre("c/1.jpg 0", "c/one.jpg 0", "c/far/2.jpg 0", "elsewhere/deep/2.jpg 1"));
}

TEST(ImageFolder, RefusesClassesWithoutImagesByName) {
  const ScratchFolder folder;
  folder.Write("cats/1.jpg", "x");
  folder.Write("dogs/1.gif", "x");
  folder.Write("eels/notes/1.txt", "x");
  EXPECT_THAT(Listed(folder), ElementsAre(HasSubstr("class folders dogs, eels")));
}

TEST(ImageFolder, RefusesARootThatIsMissingEmptyOrAFile) {
  const ScratchFolder folder;
  EXPECT_THAT(ListImageFolder(folder.Path("none")).error().message, HasSubstr("none: cannot open"));
  EXPECT_THAT(ListImageFolder(folder.Path()).error().message, HasSubstr("holds no class folder"));
  folder.Write("file", "x");
  EXPECT_THAT(ListImageFolder(folder.Path("file")).error().message, HasSubstr("Not a directory"));
}

}  // namespace
}  // namespace sluice::formats
