// Writes testdata/ anew: skinlint_make_testdata FOLDER. Files of the folder that it does not make
// are left alone.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "support/testdata.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: skinlint_make_testdata FOLDER\n", stderr);
    return 2;
  }
  try {
    std::size_t total = 0;
    for (const auto& file : skinlint::test::all_testdata()) {
      const std::filesystem::path path = std::filesystem::path(argv[1]) / file.path;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream out(path, std::ios::binary);
      out.write(reinterpret_cast<const char*>(file.bytes.data()),
                static_cast<std::streamsize>(file.bytes.size()));
      if (!out.flush()) {
        std::fprintf(stderr, "cannot write %s\n", path.c_str());
        return 1;
      }
      total += file.bytes.size();
    }
    std::printf("%zu bytes\n", total);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
