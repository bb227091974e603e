// A recorded session as the window's feed.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "sluice/exporters/session_reader.h"
#include "sluice/ui/feed.h"

namespace sluice::app {

// One thread. What was recorded when the file was opened; nothing new comes.
class SessionFeed : public ui::Feed {
 public:
  // `loader`: of several pipelines, the one with this in its name.
  [[nodiscard]] static Result<std::unique_ptr<ui::Feed>> Open(const std::string& path,
                                                              const std::string& loader);

  bool Poll() override { return false; }
  [[nodiscard]] const ui::Track& track() const override { return track_; }
  [[nodiscard]] Result<std::unique_ptr<ui::Feed>> OpenRank(std::size_t rank) override;
  [[nodiscard]] Result<ui::Scene> At(const ui::Look& look) override;
  [[nodiscard]] Result<ui::Comparison> CompareWith(const std::string& file) override;

 private:
  SessionFeed(exporters::SessionReader session, std::size_t pipeline);
  [[nodiscard]] static Result<std::unique_ptr<ui::Feed>> OpenPipeline(exporters::SessionReader session,
                                                                      std::size_t pipeline);
  [[nodiscard]] Result<void> ReadTrack();
  [[nodiscard]] const exporters::RecordedPipeline& it() const { return session_.pipelines()[pipeline_]; }
  [[nodiscard]] MonoTime start() const { return it().moments.front().at; }
  [[nodiscard]] std::vector<ui::RankSeen> Ranks(MonoTime from, MonoTime until) const;

  exporters::SessionReader session_;
  std::size_t pipeline_;
  exporters::DecisionLog decisions_;
  std::vector<Knob> first_knobs_;
  ui::Track track_;
};

}  // namespace sluice::app
