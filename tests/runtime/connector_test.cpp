#include "connector.h"

#include <gtest/gtest.h>

#include <memory>

namespace sluice::runtime {
namespace {

using namespace std::chrono_literals;  // NOLINT

// A connector with its counters, and rows that are told apart by their index.
class ConnectorTest : public testing::Test {
 protected:
  Connector& Make(std::uint64_t capacity, int workers, bool ordered = true) {
    connector_ = std::make_unique<Connector>(*entry_, capacity, workers, ordered, MonoTime(1000));
    return *connector_;
  }
  Connector::Published Publish(std::uint64_t ticket, std::uint64_t index, MonoTime now = MonoTime(1000)) {
    Unit units[1];
    units[0].item.index = index;
    return connector_->Publish(ticket, units, now);
  }
  std::vector<std::uint64_t> Pop(std::uint64_t limit, MonoTime now = MonoTime(1000)) {
    std::vector<std::uint64_t> indices;
    popped_ = connector_->Pop(limit, now, [&](Item& item) {
      indices.push_back(Item(std::move(item)).index);
      return true;
    });
    return indices;
  }
  std::uint64_t Room() { return connector_->RoomOrWait(MonoTime(1000)); }

  using Indices = std::vector<std::uint64_t>;
  const std::unique_ptr<probes::segment::ConnectorEntry> entry_ =
      std::make_unique<probes::segment::ConnectorEntry>();
  std::unique_ptr<Connector> connector_;
  Connector::Popped popped_;
};

TEST_F(ConnectorTest, HandsItemsOutInTheOrderOfTheirTicketsHoweverTheyArrive) {
  Make(4, 3);
  ASSERT_EQ(connector_->Reserve(3), 0u);
  Publish(2, 12);
  Publish(1, 11);
  EXPECT_EQ(Pop(9), Indices{});
  Publish(0, 10);
  EXPECT_EQ(Pop(2), (Indices{10, 11}));
  EXPECT_EQ(Pop(9), (Indices{12}));
}

TEST_F(ConnectorTest, WithoutOrderHandsOutWhatIsFinishedFirst) {
  Make(4, 3, false);
  ASSERT_EQ(connector_->Reserve(3), 0u);
  Publish(2, 12);
  EXPECT_EQ(Pop(9), (Indices{12}));
  EXPECT_EQ(connector_->InFlight(), 2u);
  Publish(0, 10);
  Publish(1, 11);
  EXPECT_EQ(Pop(9), (Indices{10, 11}));
  EXPECT_EQ(connector_->InFlight(), 0u);
}

TEST_F(ConnectorTest, HasRoomForItsCapacityAndOneInTheMakingPerFurtherWorker) {
  Make(5, 4);
  EXPECT_EQ(Room(), 8u);
  static_cast<void>(connector_->Reserve(8));
  EXPECT_EQ(Room(), 0u);
  Publish(0, 0);
  EXPECT_EQ(Room(), 0u) << "a finished item takes as much room as one in the making";
  Pop(1);
  EXPECT_EQ(popped_.room, 1u);
  EXPECT_TRUE(popped_.producer_waits);
}

TEST_F(ConnectorTest, KeepsItemsAndOrderWhenItGrowsAndShrinksInUse) {
  Make(2, 1);
  for (std::uint64_t i = 0; i < 2; ++i) Publish(connector_->Reserve(1), i);
  connector_->SetCapacity(40, MonoTime(1000));
  EXPECT_EQ(Room(), 38u);
  for (std::uint64_t i = 2; i < 40; ++i) Publish(connector_->Reserve(1), i);
  connector_->SetCapacity(1, MonoTime(1000));
  EXPECT_EQ(Room(), 0u);
  Indices wanted;
  for (std::uint64_t i = 0; i < 40; ++i) wanted.push_back(i);
  EXPECT_EQ(Pop(100), wanted);
  EXPECT_EQ(Room(), 1u);
}

TEST_F(ConnectorTest, KeepsTicketsThatAreOutWhenWorkersGo) {
  Make(1, 8);
  static_cast<void>(connector_->Reserve(8));
  connector_->SetWorkers(1, MonoTime(1000));
  EXPECT_EQ(Room(), 0u);
  for (std::uint64_t i = 8; i-- > 0;) Publish(i, i);
  EXPECT_EQ(Pop(100), (Indices{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(Room(), 1u);
}

TEST_F(ConnectorTest, RemembersOnceThatTheProducerWaits) {
  Make(1, 1);
  Publish(connector_->Reserve(1), 0);
  EXPECT_EQ(Room(), 0u);
  EXPECT_FALSE(connector_->TakeWaitingProducer()) << "there is no room yet";
  Pop(1);
  EXPECT_TRUE(connector_->TakeWaitingProducer());
  EXPECT_FALSE(connector_->TakeWaitingProducer());
}

TEST_F(ConnectorTest, AGrownCapacityIsRoomForAProducerThatWaits) {
  Make(1, 1);
  static_cast<void>(connector_->Reserve(1));
  ASSERT_EQ(Room(), 0u);
  connector_->SetCapacity(2, MonoTime(1000));
  EXPECT_TRUE(connector_->TakeWaitingProducer());
}

TEST_F(ConnectorTest, TellsThePublisherOnceThatTheConsumerWaits) {
  Make(4, 1);
  EXPECT_FALSE(Publish(connector_->Reserve(1), 0).consumer_waits);
  Pop(9);
  Pop(9);
  EXPECT_TRUE(Publish(connector_->Reserve(1), 1).consumer_waits);
  const auto second = Publish(connector_->Reserve(1), 2);
  EXPECT_FALSE(second.consumer_waits);
  EXPECT_EQ(second.depth, 2u);
}

TEST_F(ConnectorTest, IsOverOnlyWhenItIsClosedAndAllTicketsAreThrough) {
  Make(4, 2);
  static_cast<void>(connector_->Reserve(2));
  Publish(0, 0);
  Pop(9);
  EXPECT_FALSE(connector_->Close());
  EXPECT_EQ(Pop(9), Indices{});
  EXPECT_FALSE(popped_.closed) << "a ticket is still out";
  Publish(1, 1);
  EXPECT_EQ(Pop(9), (Indices{1}));
  EXPECT_FALSE(popped_.closed);
  Pop(9);
  EXPECT_TRUE(popped_.closed);
}

TEST_F(ConnectorTest, CloseTellsThatTheConsumerWaits) {
  Make(4, 1);
  Pop(1);
  EXPECT_TRUE(connector_->Close());
}

TEST_F(ConnectorTest, CountsItemsAndBytes) {
  BufferPool pool(1_MiB);
  Make(4, 1);
  Unit items[1];
  Item& item = items[0].item;
  item.buffer = pool.Acquire(300);
  item.data = {item.buffer->data(), image::DType::kU8, {{300}, 1}};
  static_cast<void>(connector_->Publish(connector_->Reserve(1), items, MonoTime(1000)));
  EXPECT_EQ(entry_->pushed, 1u);
  EXPECT_EQ(entry_->pushed_bytes, 300u);
  EXPECT_EQ(entry_->depth, 1);
  Pop(1);
  EXPECT_EQ(entry_->popped, 1u);
  EXPECT_EQ(entry_->popped_bytes, 300u);
  EXPECT_EQ(entry_->depth, 0);
  EXPECT_EQ(entry_->high_water, 1u);
}

TEST_F(ConnectorTest, IntegratesItsDepthOverTime) {
  Make(8, 1);
  Publish(connector_->Reserve(1), 0, 1100ns);  // empty for 100
  Publish(connector_->Reserve(1), 1, 1110ns);  // 1 for 10
  Pop(2, 1140ns);                              // 2 for 30
  Publish(connector_->Reserve(1), 2, 1200ns);  // empty for 60
  EXPECT_EQ(entry_->depth_integral, 10u + 60u);
  EXPECT_EQ(entry_->empty_ns, 160u);
  EXPECT_EQ(entry_->high_water, 2u);
}

TEST_F(ConnectorTest, CountsTheTimeWithoutRoomFromTheRefusalOn) {
  Make(1, 1);
  Publish(connector_->Reserve(1), 0, 1010ns);
  EXPECT_EQ(connector_->RoomOrWait(1050ns), 0u);
  EXPECT_EQ(connector_->RoomOrWait(1060ns), 0u);
  EXPECT_EQ(entry_->full_since, 1050);
  Pop(1, 1080ns);
  EXPECT_EQ(entry_->full_since, 0);
  EXPECT_EQ(entry_->full_ns, 30u);
}

TEST_F(ConnectorTest, ALargerCapacityEndsTheTimeWithoutRoom) {
  Make(1, 1);
  static_cast<void>(connector_->Reserve(1));
  ASSERT_EQ(connector_->RoomOrWait(2000ns), 0u);
  connector_->SetCapacity(2, 2500ns);
  EXPECT_EQ(entry_->full_ns, 500u);
  EXPECT_EQ(entry_->capacity, 2);
}

// Callers read the clock before they get the lock.
TEST_F(ConnectorTest, ATimeThatStepsBackCountsAsNone) {
  Make(8, 1);
  Publish(connector_->Reserve(1), 0, 2000ns);
  Publish(connector_->Reserve(1), 1, 1500ns);
  Pop(2, 2010ns);
  EXPECT_EQ(entry_->depth_integral, 20u);
  EXPECT_EQ(entry_->empty_ns, 1000u);
}

TEST_F(ConnectorTest, ClearDropsItemsAndTheirMemory) {
  BufferPool pool(1_MiB);
  Make(4, 1);
  Unit items[1];
  items[0].item.buffer = pool.Acquire(300);
  static_cast<void>(connector_->Publish(connector_->Reserve(1), items, MonoTime(1000)));
  connector_->Clear();
  EXPECT_EQ(pool.in_use(), Bytes{0});
  EXPECT_FALSE(connector_->LooksReady());
}

TEST_F(ConnectorTest, ATicketIsForOneItem) {
  Make(4, 1);
  static_cast<void>(connector_->Reserve(1));
  Publish(0, 0);
  EXPECT_DEATH(Publish(0, 1), "slot.ready");
}

}  // namespace
}  // namespace sluice::runtime
