#include "sluice/exporters/tensorboard.h"

#include <gmock/gmock.h>

#include "exporters/example_run.h"
#include "wire/wire.h"

namespace sluice::exporters {
namespace {

using testing::HasSubstr;

// From RFC 3720, B.4, and the value that is given for nine digits everywhere.
TEST(Crc32c, IsThatOfTheStandard) {
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  EXPECT_EQ(Crc32c(""), 0U);
}

TEST(WireMessage, IsWhatTheEncodingsPageShows) {
  EXPECT_EQ(WireMessage().Whole(1, 150).bytes(), "\x08\x96\x01");
  EXPECT_EQ(WireMessage().Bytes(2, "testing").bytes(), "\x12\x07testing");
  EXPECT_EQ(WireMessage().Message(3, WireMessage().Whole(1, 150)).bytes(), "\x1a\x03\x08\x96\x01");
  EXPECT_EQ(WireMessage().Float(2, 1.0F).bytes(), std::string("\x15\0\0\x80\x3f", 5));
  EXPECT_EQ(WireMessage().Double(1, 1.0).bytes(), std::string("\x09\0\0\0\0\0\0\xf0\x3f", 9));
  EXPECT_EQ(WireMessage().Whole(16, 0).bytes(), std::string("\x80\x01\0", 3));
}

// The header that TensorFlow itself writes at time 0, but for its time.
TEST(TensorBoard, BeginsAsItsReadersWantIt) {
  const std::string header = TensorBoardHeader(Nanos(0));
  ASSERT_EQ(header.size(), 8u + 4 + 24 + 4);
  EXPECT_EQ(header.substr(0, 8), LittleEndian(24, 8));
  EXPECT_THAT(header, HasSubstr("brain.Event:2"));
}

TEST(TensorBoard, LeavesOutWhatIsNotKnown) {
  const Snapshot now = example::At(std::chrono::seconds(12), 755, 2);
  const std::string nothing = TensorBoardScalars(now, now);
  EXPECT_THAT(nothing, testing::Not(HasSubstr("rows_per_second")));
  EXPECT_THAT(nothing, HasSubstr("sluice/op/decode/workers"));
}

TEST(TensorBoard, NamesFilesAndFoldersSoThatTheyStayWhereTheyAre) {
  EXPECT_EQ(TensorBoardFolderName("train.py: train_loader (Photos)"), "train.py_train_loader_Photos");
  EXPECT_EQ(TensorBoardFolderName("../../etc"), ".._.._etc");
  EXPECT_EQ(TensorBoardFolderName(".."), "pipeline");
  EXPECT_EQ(TensorBoardFolderName(""), "pipeline");
  EXPECT_EQ(TensorBoardFolderName("äöü"), "pipeline");
  EXPECT_EQ(TensorBoardFolderName(std::string(300, 'x')).size(), 100u);
  EXPECT_EQ(TensorBoardFileName(std::chrono::seconds(1'764'025'200), "17f3.1"),
            "events.out.tfevents.1764025200.sluice.17f3.1");
}

}  // namespace
}  // namespace sluice::exporters
