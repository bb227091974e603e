#include "steer/control_call.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "sluice/base/fd.h"
#include "sluice/exporters/control_server.h"

namespace sluice::app {
namespace {

using testing::HasSubstr;

class ControlCallTest : public testing::Test {
 protected:
  ControlCallTest() { std::filesystem::create_directories(folder_); }
  ~ControlCallTest() override { std::filesystem::remove_all(folder_); }
  // Listens, and answers nothing.
  Fd Listen() const {
    Fd fd(socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(fd.get(), 1), 0);
    return fd;
  }
  [[nodiscard]] std::string Why(Nanos patience = std::chrono::seconds(10)) const {
    const auto reply = CallControl({.where = path_}, {.method = "GET", .path = "/v1"}, patience);
    return reply ? "answered" : reply.error().message;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("control_call_" + std::to_string(getpid()));
  const std::string path_ = folder_ / "1.control";
};

TEST_F(ControlCallTest, ReachesAControlServerWithLeaseAndBody) {
  const auto server = exporters::ControlServer::Start(path_);
  ASSERT_TRUE(server);
  Result<ControlReply> reply;
  std::thread asker([&] {
    reply = CallControl({.where = path_},
                        {.method = "POST", .path = "/v1/x", .lease = "abc", .body = R"({"a": 1})"},
                        std::chrono::seconds(10));
  });
  exporters::ControlMail mail;
  while (mail.requests.empty()) mail = (*server)->Take();
  EXPECT_EQ(mail.requests[0].method, "POST");
  EXPECT_EQ(mail.requests[0].path, "/v1/x");
  EXPECT_EQ(mail.requests[0].lease, "abc");
  EXPECT_EQ(mail.requests[0].body, R"({"a": 1})");
  (*server)->Answer(mail.requests[0].id, {.status = 409, .json = std::string(1 << 20, 'x'), .stream = {}});
  asker.join();
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status, 409);
  EXPECT_EQ(reply->body.size(), std::size_t{1} << 20);
}

TEST_F(ControlCallTest, SaysWhyNobodyAnswers) {
  EXPECT_THAT(Why(), HasSubstr("its run has ended"));
  {
    const Fd gone = Listen();
  }
  EXPECT_THAT(Why(), HasSubstr("its run has ended"));
  std::filesystem::remove(path_);
  const Fd silent = Listen();
  EXPECT_THAT(Why(std::chrono::milliseconds(1)), HasSubstr("busy or stopped"));
  const Fd refused = Fd(accept(silent.get(), nullptr, nullptr));
  std::thread closes([&] {
    const Fd client(accept(silent.get(), nullptr, nullptr));
    ASSERT_GE(client.get(), 0);
    EXPECT_EQ(send(client.get(), "HTTP/1.1 200 OK\r\nContent-", 25, MSG_NOSIGNAL), 25);
  });
  EXPECT_THAT(Why(), HasSubstr("its answer was cut"));
  closes.join();
  EXPECT_THAT(CallControl({.where = std::string(200, 'x')}, {}, std::chrono::seconds(1)).error().message,
              HasSubstr("too long"));
}

TEST(ControlReplies, AreTakenWholeOrNotAtAll) {
  const auto reply = ReadReply("HTTP/1.1 423 Locked\r\ncontent-LENGTH:  2\r\nX: y\r\n\r\n{}");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 423);
  EXPECT_EQ(reply->body, "{}");
  for (const char* cut :
       {"", "HTTP/1.1", "HTTP/1.1 2x0 OK\r\n\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}"})
    EXPECT_FALSE(ReadReply(cut)) << cut;
}

}  // namespace
}  // namespace sluice::app
