#include "sluice/exporters/control_server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "exporters/raw_client.h"
#include "sluice/base/fd.h"

namespace sluice::exporters {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::string_view kAsk = "GET /v1 HTTP/1.1\r\nHost: x\r\n\r\n";

std::string Post(std::string_view path, std::string_view body, std::string_view headers = "") {
  return "POST " + std::string(path) + " HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

class ControlServerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-control-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = In("1.control");
    Restart({.patience = std::chrono::minutes(10)});
  }
  void TearDown() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] std::string In(const std::string& name) const { return (folder_ / name).string(); }

  void Restart(const ControlLimits& limits) {
    server_.reset();
    auto server = ControlServer::Start(path_, door_, limits);
    ASSERT_TRUE(server.has_value()) << server.error().message;
    server_ = std::move(*server);
  }
  [[nodiscard]] RawClient Connect() const { return RawClient(path_); }
  // The next request that comes.
  ControlRequest Next() {
    for (;;) {
      const ControlMail mail = server_->Take();
      if (!mail.requests.empty()) return mail.requests.front();
      poll(nullptr, 0, 1);
    }
  }
  // A viewer of pipeline 3, and what it has read.
  RawClient View(std::string_view headers = "") {
    RawClient viewer = Connect();
    viewer.Send("GET /v1/pipelines/3/stream HTTP/1.1\r\n" + std::string(headers) + "\r\n");
    server_->Answer(Next().id, {.status = 200, .json = {}, .stream = 3});
    EXPECT_THAT(viewer.ReadUntil("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
    return viewer;
  }

  std::filesystem::path folder_;
  std::string path_;
  std::optional<ControlDoor> door_;
  std::unique_ptr<ControlServer> server_;
};

TEST_F(ControlServerTest, IsASocketOfItsOwnUserAndGoneAtTheEnd) {
  struct stat info;
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_TRUE(S_ISSOCK(info.st_mode));
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ControlServerTest, HandsARequestOverWholeAndItsAnswerBack) {
  EXPECT_THAT(server_->Take().requests, IsEmpty());
  RawClient client = Connect();
  const std::string request = Post("/v1/lease?x", "{\"name\": \"a\"}", "sluice-LEASE: abc\r\n");
  for (const char c : request) ASSERT_TRUE(client.Send({&c, 1}));
  const ControlRequest got = Next();
  EXPECT_EQ(got.method, "POST");
  EXPECT_EQ(got.path, "/v1/lease");
  EXPECT_EQ(got.lease, "abc");
  EXPECT_EQ(got.body, "{\"name\": \"a\"}");
  server_->Answer(got.id, {.status = 423, .json = "{}\n", .stream = {}});
  const std::string answer = client.ReadAll();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 423 Locked\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n{}\n"));
}

TEST_F(ControlServerTest, APortThatCannotBeHadIsAnError) {
  door_ = ControlDoor{"127.0.0.1:0", "0123456789abcdef"};
  Restart({});
  const auto taken = ControlDoor{"127.0.0.1:" + std::to_string(server_->port()), "0123456789abcdef"};
  const auto second = ControlServer::Start(In("2.control"), taken);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("cannot answer on 127.0.0.1:"));
  EXPECT_THAT(second.error().message, HasSubstr("the port is in use"));
  const auto nowhere = ControlServer::Start(In("2.control"), ControlDoor{"node7:1", "x"});
  EXPECT_THAT(nowhere.error().message, HasSubstr("control address 'node7:1': 'node7' is no IPv4 address"));
  EXPECT_FALSE(std::filesystem::exists(In("2.control")));
}

TEST_F(ControlServerTest, StreamsLinesAndSaysWhenTheRunHasEnded) {
  RawClient viewer = View();
  while (server_->Watched().empty()) poll(nullptr, 0, 1);
  EXPECT_EQ(server_->Watched(), std::set<std::size_t>{3});
  server_->Tell(2, "{\"of\": 2}\n");
  server_->Tell(3, "{\"of\": 3}\n");
  EXPECT_EQ(viewer.ReadUntil("3}\n\r\n"), "a\r\n{\"of\": 3}\n\r\n");
  server_.reset();
  EXPECT_EQ(viewer.ReadAll(), "14\r\n{\"notice\": \"ended\"}\n\r\n0\r\n\r\n");
}

TEST_F(ControlServerTest, TellsOfALeaseWhoseStreamHasEnded) {
  {
    const RawClient viewer = View("Sluice-Lease: abc\r\n");
  }
  for (;;) {
    const ControlMail mail = server_->Take();
    if (mail.ended.empty()) {
      poll(nullptr, 0, 1);
      continue;
    }
    EXPECT_EQ(mail.ended, std::vector<std::string>{"abc"});
    break;
  }
  EXPECT_THAT(server_->Watched(), IsEmpty());
}

TEST_F(ControlServerTest, ASlowViewerIsToldThatItGetsLess) {
  RawClient viewer = View();
  const auto tell = [&](const std::string& line) {
    server_->Tell(3, line);
    RawClient other = Connect();  // its answer shows that the line was offered
    other.Send(kAsk);
    server_->Answer(Next().id, {.status = 200, .json = "{}\n", .stream = {}});
    ASSERT_THAT(other.ReadAll(), EndsWith("{}\n"));
  };
  // It reads nothing until more has come than its socket holds.
  for (int i = 0; i < 100; ++i) tell("{\"x\": \"" + std::string(100'000, 'x') + "\"}\n");
  std::atomic<bool> told = false;
  std::thread reads([&] {
    EXPECT_THAT(viewer.ReadUntil("\"every\": 2, \"skipped\": "),
                EndsWith("{\"notice\": \"slow viewer\", \"every\": 2, \"skipped\": "));
    told = true;
  });
  while (!told) tell("{}\n");
  reads.join();
}

TEST_F(ControlServerTest, RefusesWhatIsNoRequestAndGoesOn) {
  const std::pair<std::string, const char*> refused[] = {
      {"\x16\x03\x01 garbage", "HTTP/1.1 400"},
      {"nonsense\r\n\r\n", "HTTP/1.1 400"},
      {"GET /v1 HTTP/1.1\r\nA: " + std::string(20'000, 'a'), "HTTP/1.1 431"},
      {"POST /v1/lease HTTP/1.1\r\n\r\n", "HTTP/1.1 411"},
      {"POST /v1/lease HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 411"},
      {"POST /v1/lease HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 400"},
      {"POST /v1/lease HTTP/1.1\r\nContent-Length: 1, 2\r\n\r\n", "HTTP/1.1 400"},
      {"POST /v1/lease HTTP/1.1\r\nContent-Length: 65537\r\n\r\n", "HTTP/1.1 413"}};
  for (const auto& [bytes, status] : refused) {
    const std::string answer = Connect().Ask(bytes);
    EXPECT_THAT(answer, StartsWith(status)) << bytes.substr(0, 80);
    EXPECT_THAT(answer, HasSubstr("{\"error\": \"")) << bytes.substr(0, 80);
  }
  EXPECT_THAT(server_->Take().requests, IsEmpty()) << "the lap hears nothing of them";
  RawClient client = Connect();
  client.Send(kAsk);
  EXPECT_EQ(Next().path, "/v1");
}

TEST_F(ControlServerTest, TakesInNoMoreConnectionsThanItMay) {
  Restart({.clients = 2, .patience = std::chrono::minutes(10)});
  RawClient first = Connect(), second = Connect();
  first.Send(kAsk);
  const ControlRequest request = Next();
  second.Send(kAsk);
  static_cast<void>(Next());
  EXPECT_THAT(Connect().Ask(kAsk), StartsWith("HTTP/1.1 503"));
  server_->Answer(request.id, {.status = 200, .json = "{}\n", .stream = {}});
  EXPECT_THAT(first.ReadAll(), StartsWith("HTTP/1.1 200"));
}

TEST_F(ControlServerTest, WhoeverDoesNotAskMakesRoom) {
  Restart({.clients = 2, .patience = std::chrono::minutes(10)});
  RawClient silent = Connect(), halting = Connect(), third = Connect();
  halting.Send("GET /");
  third.Send(kAsk);
  EXPECT_EQ(Next().path, "/v1");
}

TEST_F(ControlServerTest, SaysThatTheRunDoesNotAnswerOrHasEnded) {
  Restart({.patience = std::chrono::milliseconds(1)});
  EXPECT_THAT(Connect().Ask(kAsk), testing::AnyOf(HasSubstr("did not answer in time"), IsEmpty()));
  Restart({.patience = std::chrono::minutes(10)});
  RawClient client = Connect();
  client.Send(kAsk);
  static_cast<void>(Next());
  server_.reset();
  EXPECT_THAT(client.ReadAll(), HasSubstr("{\"error\": \"the run has ended\"}"));
}

TEST_F(ControlServerTest, AnAnswerForSomebodyWhoHasLeftIsDropped) {
  {
    RawClient client = Connect();
    client.Send(kAsk);
  }
  server_->Answer(Next().id, {.status = 200, .json = "{}\n", .stream = {}});
  server_->Answer(12345, {.status = 200, .json = "{}\n", .stream = {}});
  RawClient next = Connect();
  next.Send(kAsk);
  server_->Answer(Next().id, {.status = 200, .json = "{}\n", .stream = {}});
  EXPECT_THAT(next.ReadAll(), StartsWith("HTTP/1.1 200"));
}

TEST_F(ControlServerTest, TakesNoLivingSocketsPlace) {
  const auto second = ControlServer::Start(path_);
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().message, HasSubstr(path_));
  EXPECT_TRUE(Connect().connected());
}

TEST_F(ControlServerTest, RemovesWhatDeadRunsHaveLeftAndNothingElse) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  const std::string dead = In("2.control"), other = In("3.control");
  std::ranges::copy(dead, at.sun_path);
  {
    const Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_GE(fd.get(), 0);
    ASSERT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  }
  const Fd file(creat(other.c_str(), 0600));
  RemoveDeadControlSockets(folder_);
  EXPECT_FALSE(std::filesystem::exists(dead));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_TRUE(Connect().connected());
}

TEST(ControlServer, SaysWhereItCannotBe) {
  const auto nowhere = ControlServer::Start("/proc/none/1.control");
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_THAT(nowhere.error().message, HasSubstr("/proc/none/1.control"));
  const auto longer = ControlServer::Start("/tmp/" + std::string(200, 'x'));
  ASSERT_FALSE(longer.has_value());
  EXPECT_THAT(longer.error().message, HasSubstr("name too long"));
}

}  // namespace
}  // namespace sluice::exporters
