#include "support/read_bytes.h"

#include <stdexcept>
#include <utility>

namespace skinlint::test {

Asset read_bytes(std::vector<std::byte> bytes, const ReadOptions& options) {
  const OpenCompanion nothing =
      [](const std::string& path) -> Result<std::shared_ptr<const Source>> {
    return ReadError{ReadError::Kind::not_fetched, "no companion " + path, {}, {}};
  };
  Result<Asset> asset = read_asset(memory_source(std::move(bytes)), nothing, options);
  if (!asset) throw std::runtime_error("read_asset: " + asset.error().message);
  return std::move(*asset);
}

}  // namespace skinlint::test
