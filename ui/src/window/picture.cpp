#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <vector>

#include "sluice/ui/window.h"
#include "window/dressing.h"
#include "window/frame.h"
#include "window/pixels.h"

namespace sluice::ui {
namespace {

// ImGui sizes its windows and tables over several frames.
constexpr int kFrames = 6;

// OpenGL without a display, drawn by Mesa in software or by whatever card there is.
class Offscreen {
 public:
  Offscreen() = default;
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;
  ~Offscreen() {
    if (display_ == EGL_NO_DISPLAY) return;
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context_ != EGL_NO_CONTEXT) eglDestroyContext(display_, context_);
    eglTerminate(display_);
  }

  Result<void> Open(int width, int height) {
    const auto display_of =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    if (display_of != nullptr)
      display_ = display_of(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display_ == EGL_NO_DISPLAY || eglInitialize(display_, nullptr, nullptr) == EGL_FALSE)
      return Fail(
          "--screenshot: there is no OpenGL without a display here; on Debian: apt-get install "
          "libgl1-mesa-dri");
    constexpr EGLint kConfig[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    constexpr EGLint kContext[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    EGLConfig config{};
    EGLint count = 0;
    eglBindAPI(EGL_OPENGL_API);
    eglChooseConfig(display_, kConfig, &config, 1, &count);
    context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, kContext);
    if (context_ == EGL_NO_CONTEXT ||
        eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_FALSE)
      return Fail("--screenshot: this machine's OpenGL is older than 3.3");
    return MakeCanvas(width, height);
  }

 private:
  template <typename Function>
  static Function Find(const char* name) {
    return reinterpret_cast<Function>(eglGetProcAddress(name));
  }

  static Result<void> MakeCanvas(int width, int height) {
    GLuint canvas = 0, colours = 0;
    glGenTextures(1, &colours);
    glBindTexture(GL_TEXTURE_2D, colours);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    Find<PFNGLGENFRAMEBUFFERSPROC>("glGenFramebuffers")(1, &canvas);
    Find<PFNGLBINDFRAMEBUFFERPROC>("glBindFramebuffer")(GL_FRAMEBUFFER, canvas);
    Find<PFNGLFRAMEBUFFERTEXTURE2DPROC>("glFramebufferTexture2D")(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                                                  GL_TEXTURE_2D, colours, 0);
    const GLenum state = Find<PFNGLCHECKFRAMEBUFFERSTATUSPROC>("glCheckFramebufferStatus")(GL_FRAMEBUFFER);
    if (state != GL_FRAMEBUFFER_COMPLETE) return Fail("--size: no picture of that size can be drawn");
    return {};
  }

  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

// ImGui drawn by OpenGL, while it lives.
class Drawing {
 public:
  Drawing() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    begun_ = BeginDrawing();
  }
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;
  ~Drawing() {
    if (begun_) ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
  }
  [[nodiscard]] const Result<void>& begun() const { return begun_; }

 private:
  Result<void> begun_;
};

}  // namespace

Result<void> TakePicture(Desk& desk, std::unique_ptr<Feed> feed, WindowWish wish, const std::string& file) {
  Offscreen screen;
  if (const auto opened = screen.Open(wish.width, wish.height); !opened) return opened;
  const Drawing drawing;
  if (!drawing.begun()) return drawing.begun();
  wish.choice.scale = wish.choice.screen_scale = wish.scale > 0 ? wish.scale : 1;
  Frame frame(desk, std::move(feed), wish);
  Dressing dressing;
  const auto width = static_cast<float>(wish.width), height = static_cast<float>(wish.height);
  for (int i = 0; i < kFrames; ++i) {
    if (const auto worn = dressing.Wear(frame.choice().theme, frame.choice().scale); !worn) return worn;
    frame.Poll(MonoTime(0));
    ImGui_ImplOpenGL3_NewFrame();
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {width, height};
    io.DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    frame.Draw(width, height, dressing.fonts());
    ImGui::Render();
    glViewport(0, 0, wish.width, wish.height);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  }
  glFinish();
  return WritePicture(file, wish.width, wish.height);
}

}  // namespace sluice::ui
