#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>

#include "sluice/base/clock.h"
#include "sluice/ui/window.h"
#include "window/dressing.h"
#include "window/frame.h"
#include "window/key_queue.h"

namespace sluice::ui {
namespace {

constexpr double kLookEvery = 0.1;                        // seconds; how soon news of the feed is seen
constexpr std::chrono::milliseconds kDrawNewsEvery{480};  // figures that change faster cannot be read
constexpr int kSettling = 3;  // frames that ImGui needs after something was done to it
constexpr int kQuestionMark = '?', kSlash = '/';

// GLFW and its one window, while it lives. What GLFW tells goes to ImGui and into the members.
class Window {
 public:
  Window() = default;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() {
    if (dressed_) {
      ImGui_ImplOpenGL3_Shutdown();
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
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    window_ = glfwCreateWindow(wish.width, wish.height, "Sluice", nullptr, nullptr);
    if (window_ == nullptr)
      return Fail(std::string("no window with OpenGL 3.3 can be opened: ") + last_error);
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(1);
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui_ImplGlfw_InitForOpenGL(window_, true);
    ImGui_ImplOpenGL3_Init("#version 330");
    dressed_ = true;
    Listen();
    return {};
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
      if (settling_ > 0 || !keys_.empty() || (news && now - drawn >= kDrawNewsEvery)) {
        if (const auto worn = dressing.Wear(frame.choice().theme, frame.choice().scale); !worn) return worn;
        Draw(frame, dressing.fonts());
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

  void OnKey(KeyEvent event) {
    keys_.Add(event);
    settling_ = kSettling;
    const bool control = (event.mods & GLFW_MOD_CONTROL) != 0;
    // Signs come as characters, wherever they are on the keyboard.
    const bool sign = !control && (event.key == kSlash || event.key == kQuestionMark);
    if (event.action != GLFW_RELEASE && frame_ != nullptr && !sign) frame_->Press(event.key, control);
  }

  void OnChar(unsigned int character) {
    settling_ = kSettling;
    if (frame_ == nullptr || frame_->typing()) {
      keys_.AddCharacter(character);
      return;
    }
    if (character == kQuestionMark || character == kSlash) frame_->Press(static_cast<int>(character), false);
  }

  void Draw(Frame& frame, const Fonts& fonts) {
    for (const KeyEvent& event : keys_.Take()) {
      if (event.character != 0) {
        ImGui_ImplGlfw_CharCallback(window_, event.character);
      } else {
        ImGui_ImplGlfw_KeyCallback(window_, event.key, event.scancode, event.action, event.mods);
      }
    }
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
    glfwSwapBuffers(window_);
    if (const std::string title = frame.title(); title != title_)
      glfwSetWindowTitle(window_, (title_ = title).c_str());
  }

  static inline std::string last_error;  // GLFW's, which has no place for a pointer of ours

  GLFWwindow* window_ = nullptr;
  Frame* frame_ = nullptr;
  KeyQueue keys_;
  std::string title_;
  int settling_ = kSettling;  // frames still to be drawn
  bool dressed_ = false;
};

}  // namespace

Result<void> ShowWindow(Desk& desk, std::unique_ptr<Feed> feed, const WindowWish& wish) {
  Window window;
  if (const auto opened = window.Open(wish); !opened) return opened;
  Choice choice = wish.choice;
  choice.scale = choice.screen_scale = wish.scale > 0 ? wish.scale : window.Scale();
  Frame frame(desk, std::move(feed), choice);
  return window.Run(frame);
}

}  // namespace sluice::ui
