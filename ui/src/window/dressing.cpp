#include "window/dressing.h"

#include <backends/imgui_impl_opengl3.h>
#include <dlfcn.h>

#include <cmath>
#include <filesystem>
#include <string>

namespace sluice::ui {
namespace {

constexpr const char* kNormal = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
constexpr const char* kBold = "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf";
constexpr float kSize = 14, kLargeSize = 18;  // in pixels at scale 1

// Latin, dashes and dots, arrows, mathematical signs, shapes, the signs of warning and done.
constexpr ImWchar kGlyphs[] = {0x20,   0xFF,   0x2010, 0x2027, 0x2190, 0x21FF, 0x2200, 0x22FF,
                               0x25A0, 0x25FF, 0x26A0, 0x26A0, 0x2713, 0x2713, 0};

ImVec4 ColourFor(Theme theme, Paint paint, float opacity = 1) {
  const Colour c = ColourOf(theme, paint);
  return {static_cast<float>(c.red) / 255, static_cast<float>(c.green) / 255,
          static_cast<float>(c.blue) / 255, opacity};
}

void WearColours(ImGuiStyle& style, Theme theme) {
  const auto set = [&](ImGuiCol what, Paint paint, float opacity = 1) {
    style.Colors[what] = ColourFor(theme, paint, opacity);
  };
  set(ImGuiCol_Text, Paint::kText);
  set(ImGuiCol_TextDisabled, Paint::kFaint);
  set(ImGuiCol_WindowBg, Paint::kBackground);
  set(ImGuiCol_ChildBg, Paint::kBackground, 0);
  set(ImGuiCol_PopupBg, Paint::kPanel);
  set(ImGuiCol_Border, Paint::kLine);
  set(ImGuiCol_FrameBg, Paint::kPanel);
  set(ImGuiCol_FrameBgHovered, Paint::kPanel);
  set(ImGuiCol_FrameBgActive, Paint::kPanel);
  set(ImGuiCol_TitleBgActive, Paint::kPanel);
  set(ImGuiCol_TitleBg, Paint::kPanel);
  set(ImGuiCol_Header, Paint::kAccent, 0.30F);
  set(ImGuiCol_HeaderHovered, Paint::kAccent, 0.20F);
  set(ImGuiCol_HeaderActive, Paint::kAccent, 0.35F);
  set(ImGuiCol_TableHeaderBg, Paint::kPanel);
  set(ImGuiCol_TableRowBg, Paint::kBackground, 0);
  set(ImGuiCol_TableRowBgAlt, Paint::kPanel, 0.5F);
  set(ImGuiCol_TableBorderLight, Paint::kLine, 0.4F);
  set(ImGuiCol_TableBorderStrong, Paint::kLine);
  set(ImGuiCol_ScrollbarBg, Paint::kBackground);
  set(ImGuiCol_ScrollbarGrab, Paint::kLine);
  set(ImGuiCol_ScrollbarGrabHovered, Paint::kFaint);
  set(ImGuiCol_ScrollbarGrabActive, Paint::kFaint);
  set(ImGuiCol_Separator, Paint::kLine);
  set(ImGuiCol_TextSelectedBg, Paint::kAccent, 0.4F);
  set(ImGuiCol_NavHighlight, Paint::kAccent);
}

}  // namespace

// ImGui opens the library by its name and, where it cannot, writes a line of its own.
Result<void> BeginDrawing() {
  void* const library = dlopen("libGL.so.1", RTLD_LAZY);
  if (library == nullptr)
    return Fail(std::string("OpenGL's library cannot be opened (") + dlerror() +
                "); on Debian: apt-get install libgl1");
  const bool begun = ImGui_ImplOpenGL3_Init("#version 330");
  dlclose(library);
  return begun ? Result<void>() : Fail("ImGui finds too little in OpenGL's library libGL.so.1");
}

Result<void> Dressing::Wear(Theme theme, float scale) {
  if (theme == theme_ && scale == scale_) return {};
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  style.FrameBorderSize = 1;
  style.WindowBorderSize = 0;
  style.AntiAliasedFill = false;  // most of it is upright boxes, and software draws them faster so
  style.ScaleAllSizes(scale);
  WearColours(style, theme);
  if (scale != scale_) {
    if (const auto loaded = LoadFonts(scale); !loaded) return loaded;
  }
  theme_ = theme;
  scale_ = scale;
  return {};
}

Result<void> Dressing::LoadFonts(float scale) {
  for (const char* file : {kNormal, kBold}) {
    std::error_code error;
    if (!std::filesystem::exists(file, error))
      return Fail(std::string(file) + " is missing; on Debian: apt-get install fonts-dejavu-core");
  }
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  atlas->Clear();
  fonts_.normal = atlas->AddFontFromFileTTF(kNormal, std::round(kSize * scale), nullptr, kGlyphs);
  fonts_.bold = atlas->AddFontFromFileTTF(kBold, std::round(kSize * scale), nullptr, kGlyphs);
  fonts_.large = atlas->AddFontFromFileTTF(kBold, std::round(kLargeSize * scale), nullptr, kGlyphs);
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
  return {};
}

}  // namespace sluice::ui
