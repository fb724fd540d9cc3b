#pragma once
// From PATH arguments to the files to check, in a fixed order.

#include <string>
#include <vector>

#include "engine/configuration.h"

namespace skinlint::cli {

struct FileList {
  std::vector<std::string>
      files;          // in the order given; within a folder sorted by bytes; no repeats
  std::string error;  // one sentence when something given is not there; then status 2
};

/// Files are taken as given, whatever their name; folders are searched recursively for known
/// extensions (hidden entries skipped, links followed, each folder entered once); a pattern with
/// * ? [ ] or ** (any number of folders) that names no existing path is a glob; `-` reads one path
/// a line (or NUL-separated) from standard input. A folder, glob or list that gives nothing is an
/// error unless `allow_empty`.
///
/// `configurations` say which extensions count in a folder and what is left out there ("exclude");
/// a file that is named is checked all the same.
FileList collect_files(const std::vector<std::string>& paths, bool allow_empty,
                       Configurations& configurations);

}  // namespace skinlint::cli
