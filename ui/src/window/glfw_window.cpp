#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#include <sched.h>

#include <algorithm>
#include <ctime>
#include <span>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/ui/window.h"
#include "window/drawing_pace.h"
#include "window/dressing.h"
#include "window/frame.h"
#include "window/key_queue.h"
#include "window/pixels.h"

namespace sluice::ui {
namespace {

constexpr double kLookEvery = 0.1;  // seconds; how soon news of the feed is seen
constexpr int kSettling = 3;        // frames that ImGui needs after something was done to it

// Of all threads: OpenGL may draw on some of its own.
Nanos CpuTime() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + Nanos(now.tv_nsec);
}

// One where the kernel has more than the set holds.
int CoresAllowed() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? std::max(1, CPU_COUNT(&allowed)) : 1;
}

// GLFW and its one window, while it lives. What GLFW tells goes to ImGui and into the members.
class Window {
 public:
  Window() = default;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() {
    if (draws_) ImGui_ImplOpenGL3_Shutdown();
    if (listens_) {
      ImGui_ImplGlfw_Shutdown();
      ImGui::DestroyContext();
    }
    if (window_ != nullptr) glfwDestroyWindow(window_);
    glfwTerminate();
  }

  Result<void> Open(const WindowWish& wish) {
    glfwSetErrorCallback([](int, const char* what) { last_error = what; });
    if (glfwInit() == GLFW_FALSE)
      return Fail(
          std::string("there is no display to open a window on (") + last_error +
          "); sluice top and sluice replay show a run in a terminal, --screenshot FILE makes a picture");
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0);  // all is flat
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    Create(wish);
    if (window_ == nullptr)
      return Fail(std::string("no window with OpenGL 3.3 can be opened: ") + last_error);
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(1);
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    listens_ = ImGui_ImplGlfw_InitForOpenGL(window_, true);
    if (const auto begun = BeginDrawing(); !begun) return begun;
    draws_ = true;
    Listen();
    return {};
  }

  // As the user has it now.
  [[nodiscard]] WindowPlace Place() const {
    WindowPlace place = place_;
    place.maximised = glfwGetWindowAttrib(window_, GLFW_MAXIMIZED) == GLFW_TRUE;
    if (place.maximised) return place;
    glfwGetWindowPos(window_, &place.x, &place.y);
    glfwGetWindowSize(window_, &place.width, &place.height);
    return place;
  }

  [[nodiscard]] float Scale() const {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return std::max(x, 0.5F);
  }

  Result<void> Run(Frame& frame) {
    frame_ = &frame;
    Dressing dressing;
    MonoTime drawn{0};
    bool news = true;
    while (glfwWindowShouldClose(window_) == GLFW_FALSE && !frame.closing()) {
      const MonoTime now = MonoNow();
      news = frame.Poll(now) || news;
      const bool touched = settling_ > 0 || !keys_.empty() || frame.focusing();
      if (touched) pace_.Touched(now);
      if (touched || (news && now - drawn >= pace_.Between(now, frame.moving()))) {
        if (const auto worn = dressing.Wear(frame.choice().theme, frame.choice().scale); !worn) return worn;
        const Nanos before = CpuTime();
        Draw(frame, dressing.fonts());
        pace_.Drawn(CpuTime() - before);
        settling_ = std::max(0, settling_ - 1);
        drawn = now;
        news = false;
        glfwPollEvents();
      } else {
        glfwWaitEventsTimeout(kLookEvery);
      }
    }
    return {};
  }

 private:
  // Not seen before it is in its place.
  void Create(const WindowWish& wish) {
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, wish.place ? GLFW_FALSE : GLFW_TRUE);
    glfwWindowHint(GLFW_MAXIMIZED, wish.place && wish.place->maximised ? GLFW_TRUE : GLFW_FALSE);
    const int width = wish.place ? wish.place->width : wish.width;
    const int height = wish.place ? wish.place->height : wish.height;
    window_ = glfwCreateWindow(width, height, "Sluice", nullptr, nullptr);
    if (window_ == nullptr) return;
    glfwGetWindowPos(window_, &place_.x, &place_.y);
    glfwGetWindowSize(window_, &place_.width, &place_.height);
    if (wish.place && OnAScreen(*wish.place)) {
      place_ = *wish.place;
      glfwSetWindowPos(window_, place_.x, place_.y);
    }
    glfwShowWindow(window_);
  }

  static bool OnAScreen(const WindowPlace& place) {
    int count = 0;
    GLFWmonitor** const monitors = glfwGetMonitors(&count);
    std::vector<Box> screens;
    for (GLFWmonitor* monitor : std::span(monitors, static_cast<std::size_t>(count))) {
      int x = 0, y = 0, width = 0, height = 0;
      glfwGetMonitorWorkarea(monitor, &x, &y, &width, &height);
      screens.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(width),
                         static_cast<float>(height)});
    }
    return WithinReach({static_cast<float>(place.x), static_cast<float>(place.y),
                        static_cast<float>(place.width), static_cast<float>(place.height)},
                       screens);
  }

  static Window& Of(GLFWwindow* window) { return *static_cast<Window*>(glfwGetWindowUserPointer(window)); }

  // Each callback passes on to the one that ImGui has put there.
  void Listen() {
    glfwSetWindowUserPointer(window_, this);
    glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
      Of(w).OnKey({key, scancode, action, mods});
    });
    glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned int c) { Of(w).OnChar(c); });
    glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int mods) {
      ImGui_ImplGlfw_MouseButtonCallback(w, button, action, mods);
      Of(w).settling_ = kSettling;
    });
    glfwSetScrollCallback(window_, [](GLFWwindow* w, double x, double y) {
      ImGui_ImplGlfw_ScrollCallback(w, x, y);
      Of(w).settling_ = kSettling;
    });
    glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double, double) { Of(w).settling_ = kSettling; });
    glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { Of(w).settling_ = kSettling; });
    glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { Of(w).settling_ = kSettling; });
  }

  // What types a character comes by OnChar, wherever it is on the keyboard, and only once.
  void OnKey(KeyEvent event) {
    settling_ = kSettling;
    const bool down = event.action != GLFW_RELEASE;
    const bool ours = frame_ != nullptr && frame_->takes_all_keys() && down;
    if (!ours) keys_.Add(event);
    if (!down || frame_ == nullptr) return;
    pressed_ = event.key;
    const bool control = (event.mods & GLFW_MOD_CONTROL) != 0;
    const Key key = KeyPressed(event.key, control, glfwGetKeyName(event.key, event.scancode));
    if (!Types(key)) frame_->Press(key);
  }

  void OnChar(unsigned int character) {
    settling_ = kSettling;
    if (frame_ == nullptr || (frame_->typing() && !frame_->takes_all_keys())) {
      keys_.AddCharacter(character);
    } else {
      frame_->Type(character, pressed_);
    }
  }

  void TellImGui() {
    for (const KeyEvent& event : keys_.Take()) {
      if (event.character != 0) {
        ImGui_ImplGlfw_CharCallback(window_, event.character);
      } else {
        ImGui_ImplGlfw_KeyCallback(window_, event.key, event.scancode, event.action, event.mods);
      }
    }
  }

  void Draw(Frame& frame, const Fonts& fonts) {
    if (!frame.focusing()) TellImGui();
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    frame.Draw(size.x, size.y, fonts);
    ImGui::Render();
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    glViewport(0, 0, width, height);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    if (const std::string file = frame.TakePictureWish(); !file.empty()) {
      if (const auto written = WritePicture(file, width, height); !written)
        frame.NoteFailure(written.error().message);
    }
    glfwSwapBuffers(window_);
    if (const std::string title = frame.title(); title != title_)
      glfwSetWindowTitle(window_, (title_ = title).c_str());
  }

  static inline std::string last_error;  // GLFW's, which has no place for a pointer of ours

  GLFWwindow* window_ = nullptr;
  Frame* frame_ = nullptr;
  KeyQueue keys_;
  DrawingPace pace_{CoresAllowed()};
  WindowPlace place_;  // unless it is maximised
  int pressed_ = 0;    // the code of the last key
  std::string title_;
  int settling_ = kSettling;  // frames still to be drawn
  bool listens_ = false;
  bool draws_ = false;
};

}  // namespace

Result<WindowLeft> ShowWindow(Desk& desk, std::unique_ptr<Feed> feed, WindowWish wish) {
  Window window;
  if (const auto opened = window.Open(wish); !opened) return std::unexpected(opened.error());
  wish.choice.screen_scale = window.Scale();
  wish.choice.scale = wish.scale > 0 ? wish.scale : wish.choice.screen_scale;
  Frame frame(desk, std::move(feed), wish);
  if (const auto ran = window.Run(frame); !ran) return std::unexpected(ran.error());
  return WindowLeft{.first = wish.choice, .last = frame.choice(), .place = window.Place()};
}

}  // namespace sluice::ui
