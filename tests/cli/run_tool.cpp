#include "cli/run_tool.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "support/gltf_writer.h"

namespace skinlint::test {
namespace fs = std::filesystem;
namespace {

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void replace(int descriptor, const std::string& path, int flags) {
  const int opened = ::open(path.c_str(), flags, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(120);
}

}  // namespace

Workplace::Workplace() {
  std::string name = (fs::temp_directory_path() / "skinlint-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Workplace::~Workplace() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Workplace::write(const std::string& name, const std::string& content) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << content;
}

void Workplace::write_rig(const std::string& name, const Rig& rig) const {
  const std::vector<std::byte> bytes = write_glb(rig);
  std::string content(bytes.size(), '\0');
  std::transform(bytes.begin(), bytes.end(), content.begin(),
                 [](std::byte b) { return static_cast<char>(b); });
  write(name, content);
}

std::string Workplace::read(const std::string& name) const { return content_of(path_ / name); }
bool Workplace::exists(const std::string& name) const { return fs::exists(path_ / name); }

std::vector<std::string> Workplace::names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

ToolRun run_tool(const Workplace& place, const std::vector<std::string>& arguments,
                 const ToolInput& input) {
  std::vector<std::string> command = {SKINLINT_BINARY};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_program(place, std::move(command), input);
}

ToolRun run_program(const Workplace& place, std::vector<std::string> command,
                    const ToolInput& input) {
  const Workplace streams;  // kept apart, so that tests can look at what the tool leaves behind
  streams.write("in", input.standard_input);
  const std::string in = (streams.path() / "in").string();
  const std::string out = (streams.path() / "out").string();
  const std::string err = (streams.path() / "err").string();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    ::alarm(input.seconds);
    if (::chdir(place.path().c_str()) != 0) ::_exit(121);
    replace(STDIN_FILENO, in, O_RDONLY);
    replace(STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC);
    if (input.closed_pipe) {
      int ends[2];
      if (::pipe(ends) != 0 || ::close(ends[0]) != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0) {
        ::_exit(122);
      }
    } else {
      replace(STDOUT_FILENO, input.output_to.empty() ? out : input.output_to,
              O_WRONLY | O_CREAT | O_TRUNC);
    }
    ::unsetenv("NO_COLOR");
    for (const std::string& variable : input.environment) {
      const std::size_t equals = variable.find('=');
      ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
    std::vector<char*> argv;
    for (std::string& argument : command) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    ::_exit(123);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
  ToolRun run;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.out = content_of(out);
  run.err = content_of(err);
  return run;
}

Rig broken_rig() {
  Rig rig = chain_rig(3, 6, 4);
  rig.meshes[0].parts[0].influences[3] = {{0, -0.5}, {1, 1.5}};
  return rig;
}

}  // namespace skinlint::test
