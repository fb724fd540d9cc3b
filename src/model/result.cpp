#include "model/result.h"

namespace skinlint {

std::string_view read_error_kind_name(ReadError::Kind kind) {
  switch (kind) {
    case ReadError::Kind::not_found:
      return "not_found";
    case ReadError::Kind::io:
      return "io";
    case ReadError::Kind::not_fetched:
      return "not_fetched";
    case ReadError::Kind::not_recognised:
      return "not_recognised";
    case ReadError::Kind::malformed:
      return "malformed";
    case ReadError::Kind::unsupported:
      return "unsupported";
    case ReadError::Kind::too_large:
      return "too_large";
    case ReadError::Kind::forbidden:
      return "forbidden";
  }
  return "";
}

}  // namespace skinlint
