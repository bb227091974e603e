#include "sluice/wrap/python_command.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "sluice/wrap/command.h"

namespace sluice::wrap {
namespace {

constexpr int kLongestLine = 256;  // that the kernel reads of a script

bool IsPython(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename();
  return name.starts_with("python") || name.starts_with("pypy");
}

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The interpreter of a script and its flags; empty where the file is no script.
std::vector<std::string> FirstLine(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string line(kLongestLine, '\0');
  stream.read(line.data(), kLongestLine);
  line.resize(static_cast<std::size_t>(stream.gcount()));
  if (!line.starts_with("#!")) return {};
  return Words(line.substr(2, line.find('\n') - 2));
}

// `env`, with what it sets and switches, is not the program.
std::vector<std::string> WithoutEnv(std::vector<std::string> words) {
  if (words.empty() || std::filesystem::path(words[0]).filename() != "env") return words;
  const auto program = std::find_if(words.begin() + 1, words.end(), [](const std::string& word) {
    return !word.starts_with("-") && word.find('=') == std::string::npos;
  });
  words.erase(words.begin(), program);
  return words;
}

bool TakesNextWord(std::string_view flag) {
  return flag == "-W" || flag == "-X" || flag == "--check-hash-based-pycs";
}

// Short flags may be run together; behind these letters the rest of the word is a value, or the program
// begins.
std::string_view Letters(std::string_view flag) {
  if (flag.starts_with("--")) return {};
  flag.remove_prefix(1);
  return flag.substr(0, flag.find_first_of("cmWX"));
}

void TakeFlag(PythonCommand& python, const std::string& flag) {
  python.flags.push_back(flag);
  for (const char letter : Letters(flag)) {
    if (letter == 'S' || letter == 'I' || letter == 'E') python.forbids = std::string("-") + letter;
  }
}

PythonCommand Read(std::string interpreter, const std::vector<std::string>& words) {
  PythonCommand python{std::move(interpreter), {}, ""};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-' || word == "--") break;
    if (word == "-c" || word == "-m") break;
    TakeFlag(python, word);
    if (TakesNextWord(word) && i + 1 < words.size()) python.flags.push_back(words[++i]);
  }
  return python;
}

}  // namespace

std::optional<PythonCommand> FindPython(const std::vector<std::string>& command, const std::string& path) {
  const auto words = WithoutEnv(command);
  if (words.empty()) return std::nullopt;
  const auto program = FindProgram(words[0], path);
  if (!program) return std::nullopt;
  if (IsPython(words[0])) return Read(*program, words);
  const auto script = WithoutEnv(FirstLine(*program));
  if (script.empty() || !IsPython(script[0])) return std::nullopt;
  const auto interpreter = FindProgram(script[0], path);
  if (!interpreter) return std::nullopt;
  return Read(*interpreter, script);
}

}  // namespace sluice::wrap
