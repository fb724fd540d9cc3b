#include "readers/gltf_accessor.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace skinlint {
namespace {

ElementRef element_of(ElementKind kind, std::uint64_t index) {
  return {kind, static_cast<std::int32_t>(index), 0};
}

/// offset + stride * (count - 1) + size without overflow; empty when it does not fit 64 bits.
std::optional<std::uint64_t> end_of(std::uint64_t offset, std::uint64_t stride, std::uint64_t count,
                                    std::uint64_t size) {
  if (count == 0) return offset;
  std::uint64_t end = 0;
  if (__builtin_mul_overflow(stride, count - 1, &end) || __builtin_add_overflow(end, size, &end) ||
      __builtin_add_overflow(end, offset, &end)) {
    return std::nullopt;
  }
  return end;
}

ComponentType component_type(std::uint64_t code) {
  switch (code) {
    case 5120:
      return ComponentType::i8;
    case 5121:
      return ComponentType::u8;
    case 5122:
      return ComponentType::i16;
    case 5123:
      return ComponentType::u16;
    case 5124:
      return ComponentType::i32;  // not in glTF 2.0; its size is known, so the rules may judge it
    case 5125:
      return ComponentType::u32;
    case 5126:
      return ComponentType::f32;
    case 5130:
      return ComponentType::f64;  // KHR_accessor_float64
    default:
      return ComponentType::none;
  }
}

/// Components of an accessor type. Matrices with columns shorter than four bytes are padded
/// (glTF 2.0 section 3.6.2.4); nothing that we read may have such a type, so only MAT4 is followed.
std::uint8_t component_count(std::string_view type) {
  if (type == "SCALAR") return 1;
  if (type == "VEC2") return 2;
  if (type == "VEC3") return 3;
  if (type == "VEC4") return 4;
  if (type == "MAT4") return 16;
  return 0;
}

template <class Slot>
void fill_slots(const std::optional<JsonValue>& value, std::string_view key,
                std::vector<Slot>& slots, RepairLog& log, Allowance& structure) {
  const Place top;
  const Place place(top, key);
  const JsonScope scope(log, {});
  const auto array = scope.array(value, place);
  if (!array) return;
  for (const JsonValue item : *array) {
    if (!structure.spend(sizeof(Slot)) || slots.size() >= INT32_MAX) {
      scope.repair(Repair::Kind::limit, place,
                   "too many entries for the file's size; the rest is skipped");
      return;
    }
    Slot slot;
    slot.json = item;
    slots.push_back(std::move(slot));
  }
}

std::string at_least(std::uint64_t needed, std::uint64_t held) {
  return "needs " + std::to_string(needed) + " bytes; " + std::to_string(held) + " are there";
}

}  // namespace

GltfData::GltfData(const GltfDocument& document, const GltfChunks& chunks,
                   const OpenCompanion& open, const ReadOptions& options, RepairLog& log,
                   Allowance& structure, std::vector<std::shared_ptr<const Storage>>& storage)
    : document_(document),
      chunks_(chunks),
      open_(open),
      options_(options),
      log_(log),
      storage_(storage),
      implied_(options.limits.max_implied_bytes),
      decoded_(options.limits.max_decoded_bytes) {
  fill_slots(document_.buffers, "buffers", buffers_, log_, structure);
  fill_slots(document_.buffer_views, "bufferViews", views_, log_, structure);
  fill_slots(document_.accessors, "accessors", accessors_, log_, structure);
}

Stream GltfData::unreadable(const Expected& expected, std::uint64_t count, std::int64_t source) {
  Stream s;
  s.type = expected.type;
  s.components = expected.components;
  s.count = std::max<std::uint64_t>(count, 1);
  s.source = source < 0 || source > INT32_MAX ? -1 : static_cast<std::int32_t>(source);
  return s;
}

std::byte* GltfData::allocate(std::uint64_t bytes) {
  std::shared_ptr<DecodedBlock> block = DecodedBlock::make(bytes);
  if (block == nullptr) return nullptr;
  std::byte* data = block->data();
  storage_.push_back(std::move(block));
  return data;
}

// --- buffers -------------------------------------------------------------------------------------

void GltfData::missing_needed(const BufferBytes& b, Need need, const std::string& locator) {
  if (need != Need::skinning || fatal_ || !b.failure) return;
  fatal_ = b.failure;
  if (fatal_->locator.empty()) fatal_->locator = locator;
}

const BufferBytes& GltfData::buffer(std::uint64_t index, Need need) {
  BufferSlot& slot = buffers_[index];
  if (!slot.bytes) slot.bytes = open_buffer(index, need);
  missing_needed(*slot.bytes, need, "/buffers/" + std::to_string(index) + "/uri");
  return *slot.bytes;
}

BufferBytes GltfData::open_buffer(std::uint64_t index, Need need) {
  const ElementRef element = element_of(ElementKind::buffer, index);
  const JsonScope scope(log_, element);
  const Place top;
  const Place list(top, "buffers");
  const Place place(list, index);
  const bool affects = need == Need::skinning;
  BufferBytes out;
  const auto object = scope.object(buffers_[index].json, place, affects);
  const auto blame = [&out](Repair::Kind kind, const Place& at) {
    out.cause = kind;
    out.cause_locator = at.pointer();
  };
  if (!object) {
    out.missing = true;
    blame(Repair::Kind::wrong_type, place);
    return out;
  }
  const auto [uri_value, length_value] = scope.pick<2>(*object, {"uri", "byteLength"}, place);
  const Place uri_place(place, "uri");
  const Place length_place(place, "byteLength");
  const auto uri = scope.string(uri_value, uri_place, affects);
  const auto length = scope.count(length_value, length_place, affects);
  if (!length_value) {
    scope.repair(Repair::Kind::defaulted, length_place,
                 "the length is not given; all bytes that are there are used", false);
  }
  if (!uri) {
    if (index == 0 && chunks_.binary) {
      out.bytes = *chunks_.binary;
    } else {
      out.missing = true;
      scope.repair(Repair::Kind::missing_data, place,
                   chunks_.format == Format::glb && index == 0
                       ? "the file has no binary chunk for the buffer"
                       : "the buffer has no uri",
                   affects, 0);
      blame(Repair::Kind::missing_data, place);
      return out;
    }
  } else if (uri->substr(0, 5) == "data:") {
    out = data_uri(uri->substr(5), index, length.value_or(0), need);
  } else {
    const auto fail = [&](ReadError error) {
      scope.repair(Repair::Kind::missing_data, uri_place, error.message, affects, 0);
      out.missing = true;
      out.failure = std::move(error);
      blame(Repair::Kind::missing_data, uri_place);
    };
    Result<std::string> path = companion_path(*uri, options_.allow_outside);
    if (!path) {
      fail(path.error());
      return out;
    }
    Result<std::shared_ptr<const Source>> source = open_(*path);
    if (!source) {
      fail(source.error());
      return out;
    }
    if (is_lfs_pointer((*source)->bytes())) {
      ReadError error;
      error.kind = ReadError::Kind::not_fetched;
      error.message = "\"" + *path + "\" is a Git LFS pointer; its content was not fetched";
      fail(std::move(error));
      return out;
    }
    out.bytes = (*source)->bytes();
    storage_.push_back(*source);
  }
  out.declared = length.value_or(out.bytes.size());
  if (length && !out.missing) {
    if (*length > out.bytes.size()) {
      scope.repair(Repair::Kind::truncated, place,
                   "the buffer declares " + std::to_string(*length) + " bytes; " +
                       std::to_string(out.bytes.size()) + " are there",
                   false, 0);
      blame(Repair::Kind::truncated, place);
    } else {
      out.bytes = out.bytes.first(*length);
    }
  }
  return out;
}

void GltfData::blame_buffer(const BufferBytes& b, ViewBytes& v) const {
  v.cause = b.cause;
  v.cause_element = element_of(ElementKind::buffer, static_cast<std::uint64_t>(v.buffer));
  v.cause_locator = b.cause_locator;
}

// --- buffer views --------------------------------------------------------------------------------

const ViewBytes& GltfData::view(std::uint64_t index, Need need) {
  ViewSlot& slot = views_[index];
  if (!slot.bytes) {
    slot.bytes = read_view(index, need);
  } else if (slot.bytes->buffer >= 0) {
    // It may have been met first by something that skinning does not need.
    buffer(static_cast<std::uint64_t>(slot.bytes->buffer), need);
  }
  return *slot.bytes;
}

ViewBytes GltfData::read_view(std::uint64_t index, Need need) {
  const JsonScope scope(log_, element_of(ElementKind::buffer_view, index));
  const Place top;
  const Place list(top, "bufferViews");
  const Place place(list, index);
  const bool affects = need == Need::skinning;
  ViewBytes out;
  const auto object = scope.object(views_[index].json, place, affects);
  if (!object) return out;
  const auto [buffer_value, offset_value, length_value, stride_value, extensions_value] =
      scope.pick<5>(*object, {"buffer", "byteOffset", "byteLength", "byteStride", "extensions"},
                    place);
  const Place extensions_place(place, "extensions");
  if (const auto extensions = scope.object(extensions_value, extensions_place)) {
    const auto [meshopt] =
        scope.pick<1>(*extensions, {"EXT_meshopt_compression"}, extensions_place);
    if (meshopt && have_meshopt()) {
      decode_meshopt(*meshopt, index, need, out);
      return out;
    }
  }
  const Place buffer_place(place, "buffer");
  const Place offset_place(place, "byteOffset");
  const Place length_place(place, "byteLength");
  const Place stride_place(place, "byteStride");
  const auto buffer_index = scope.index(buffer_value, buffer_place, affects);
  if (!buffer_index || *buffer_index < 0 ||
      static_cast<std::uint64_t>(*buffer_index) >= buffers_.size()) {
    scope.repair(Repair::Kind::dangling_reference, buffer_place,
                 buffer_index ? "the buffer " + std::to_string(*buffer_index) + " does not exist"
                              : "no buffer is named",
                 affects, 0);
    out.cause = Repair::Kind::dangling_reference;
    out.cause_element = scope.element();
    out.cause_locator = buffer_place.pointer();
    return out;
  }
  out.buffer = *buffer_index;
  const std::uint64_t offset = scope.count(offset_value, offset_place, affects).value_or(0);
  out.stride = scope.count(stride_value, stride_place, affects).value_or(0);
  if (stride_value && out.stride == 0 && integer_of(*stride_value)) {
    scope.repair(Repair::Kind::wrong_type, stride_place,
                 "a stride of 0 is not legal and is taken as absent", false);
  }
  const BufferBytes& b = buffer(static_cast<std::uint64_t>(*buffer_index), need);
  if (b.missing) {
    blame_buffer(b, out);
    return out;
  }
  const auto length = scope.count(length_value, length_place, affects);
  if (!length_value) {
    scope.repair(Repair::Kind::defaulted, length_place,
                 "the length is not given; the view is taken to reach the buffer's end", affects);
  }
  const std::uint64_t held = b.bytes.size();
  const std::uint64_t start = std::min(offset, held);
  out.declared = length.value_or(held - start);
  out.usable = true;
  out.bytes = b.bytes.subspan(start, std::min(out.declared, held - start));
  const std::optional<std::uint64_t> end = end_of(offset, out.declared, 1, out.declared);
  if (out.bytes.size() < out.declared && b.cause && end && *end <= b.declared) {
    blame_buffer(b, out);
  } else if (out.bytes.size() < out.declared) {
    out.cause = Repair::Kind::out_of_bounds;
    out.cause_element = scope.element();
    out.cause_locator = place.pointer();
    scope.repair(Repair::Kind::out_of_bounds, place,
                 "bytes " + std::to_string(offset) + " and " + std::to_string(out.declared) +
                     " on of a buffer that holds " + std::to_string(held),
                 false, 0);
  }
  return out;
}

void GltfData::decode_meshopt(JsonValue extension, std::uint64_t index, Need need, ViewBytes& out) {
  const JsonScope scope(log_, element_of(ElementKind::buffer_view, index));
  const Place top;
  const Place list(top, "bufferViews");
  const Place view_place(list, index);
  const Place extensions_place(view_place, "extensions");
  const Place place(extensions_place, "EXT_meshopt_compression");
  const bool affects = need == Need::skinning;
  const auto fail = [&](Repair::Kind kind, std::string detail) {
    scope.repair(kind, place, std::move(detail), affects, 0);
    out.cause = kind;
    out.cause_element = scope.element();
    out.cause_locator = place.pointer();
  };
  const auto object = scope.object(extension, place, affects);
  if (!object) return;
  const auto f = scope.pick<7>(
      *object, {"buffer", "byteOffset", "byteLength", "byteStride", "count", "mode", "filter"},
      place);
  const auto number = [&](std::size_t i, std::string_view key) {
    const Place at(place, key);
    return scope.count(f[i], at, affects);
  };
  const Place buffer_place(place, "buffer");
  const auto buffer_index = scope.index(f[0], buffer_place, affects);
  if (!buffer_index || *buffer_index < 0 ||
      static_cast<std::uint64_t>(*buffer_index) >= buffers_.size()) {
    return fail(Repair::Kind::dangling_reference, "the compressed data's buffer does not exist");
  }
  out.buffer = *buffer_index;
  const std::uint64_t offset = number(1, "byteOffset").value_or(0);
  const auto length = number(2, "byteLength");
  const auto stride = number(3, "byteStride");
  const auto count = number(4, "count");
  const Place mode_place(place, "mode");
  const Place filter_place(place, "filter");
  const auto mode = scope.string(f[5], mode_place, affects);
  if (!length || !stride || !count || !mode)
    return fail(Repair::Kind::defaulted, "byteLength, byteStride, count or mode is not given");
  const BufferBytes& b = buffer(static_cast<std::uint64_t>(*buffer_index), need);
  if (b.missing) {
    blame_buffer(b, out);
    return;
  }
  if (offset > b.bytes.size() || *length > b.bytes.size() - offset) {
    return fail(Repair::Kind::out_of_bounds,
                "the compressed data end at byte " + std::to_string(offset) + " + " +
                    std::to_string(*length) + " of a buffer that holds " +
                    std::to_string(b.bytes.size()));
  }
  MeshoptStream stream;
  stream.mode = *mode;
  stream.filter = scope.string(f[6], filter_place, affects).value_or("NONE");
  stream.count = *count;
  stream.stride = *stride;
  stream.bytes = b.bytes.subspan(offset, *length);
  Result<std::shared_ptr<DecodedBlock>, std::string> block =
      decode_meshopt_stream(stream, decoded_);
  if (!block) return fail(Repair::Kind::decode_failed, block.error());
  out.usable = true;
  out.bytes = (*block)->bytes();
  out.declared = out.bytes.size();
  out.stride = stream.stride;
  storage_.push_back(*block);
}

// --- accessors -----------------------------------------------------------------------------------

AccessorDecl GltfData::declare(std::uint64_t index, JsonValue json, bool affects) {
  const JsonScope scope(log_, element_of(ElementKind::accessor, index));
  const Place top;
  const Place list(top, "accessors");
  const Place place(list, index);
  AccessorDecl out;
  const auto object = scope.object(json, place, affects);
  if (!object) return out;
  const auto f = scope.pick<7>(
      *object,
      {"bufferView", "byteOffset", "componentType", "count", "type", "normalized", "sparse"},
      place);
  const auto number = [&](std::size_t i, std::string_view key) {
    const Place at(place, key);
    return scope.count(f[i], at, affects);
  };
  out.valid = true;
  if (f[0]) {
    out.view = number(0, "bufferView");
    if (!out.view) out.valid = false;
  }
  out.offset = number(1, "byteOffset").value_or(0);
  const auto code = number(2, "componentType");
  const auto count = number(3, "count");
  const Place type_place(place, "type");
  const Place component_place(place, "componentType");
  const Place count_place(place, "count");
  const auto type = scope.string(f[4], type_place, affects);
  const Place normalized_place(place, "normalized");
  out.type = component_type(code.value_or(0));
  out.components = component_count(type.value_or(""));
  out.count = count.value_or(0);
  out.normalized = scope.boolean(f[5], normalized_place).value_or(false) && is_integer(out.type);
  out.sparse = f[6];
  if (out.type == ComponentType::none) {
    if (!f[2] || code) {
      scope.repair(f[2] ? Repair::Kind::wrong_type : Repair::Kind::defaulted, component_place,
                   code ? "component type " + std::to_string(*code) + " is not known"
                        : "the component type is not given",
                   affects);
    }
    out.valid = false;
  }
  if (out.components == 0) {
    if (!f[4] || type) {
      scope.repair(f[4] ? Repair::Kind::wrong_type : Repair::Kind::defaulted, type_place,
                   type
                       ? "type \"" + std::string(type->substr(0, 40)) + "\" is not one that is read"
                       : "the type is not given",
                   affects);
    }
    out.valid = false;
  }
  if (!count) {
    if (!f[3])
      scope.repair(Repair::Kind::defaulted, count_place, "the count is not given", affects);
    out.valid = false;
  }
  return out;
}

const AccessorDecl* GltfData::declaration(std::int64_t accessor, Need need) {
  if (accessor < 0 || static_cast<std::uint64_t>(accessor) >= accessors_.size()) return nullptr;
  AccessorSlot& slot = accessors_[static_cast<std::size_t>(accessor)];
  if (!slot.declared) {
    slot.declared = true;
    slot.decl = declare(static_cast<std::uint64_t>(accessor), slot.json, need == Need::skinning);
  }
  return &slot.decl;
}

std::optional<std::span<const std::byte>> GltfData::range(std::uint64_t view_index,
                                                          std::uint64_t offset,
                                                          std::uint64_t stride, std::uint64_t count,
                                                          std::uint64_t size, ElementRef element,
                                                          const Place& place, Need need) {
  const bool affects = need == Need::skinning;
  if (view_index >= views_.size()) {
    log_.add(Repair::Kind::dangling_reference, element, affects,
             "the buffer view " + std::to_string(view_index) + " does not exist", place.pointer());
    return std::nullopt;
  }
  const ViewBytes& v = view(view_index, need);
  const std::optional<std::uint64_t> end = end_of(offset, stride, count, size);
  if (v.usable && end && *end <= v.bytes.size()) return v.bytes.subspan(offset, *end - offset);
  if (!v.usable || (end && *end <= v.declared)) {
    // One cause, one repair: the buffer's or the view's, which counts what it cost.
    if (v.cause) {
      log_.add(*v.cause, v.cause_element, affects, "", v.cause_locator);
    } else {
      log_.add(Repair::Kind::missing_data, element, affects, "its buffer view cannot be read",
               place.pointer());
    }
    return std::nullopt;
  }
  log_.add(Repair::Kind::out_of_bounds, element, affects,
           end ? at_least(*end, v.bytes.size()) : "its offset, stride and count overflow",
           place.pointer());
  return std::nullopt;
}

Stream GltfData::resolve(std::uint64_t index, Need need) {
  const AccessorDecl& decl = *declaration(static_cast<std::int64_t>(index), need);
  const ElementRef element = element_of(ElementKind::accessor, index);
  const Place top;
  const Place list(top, "accessors");
  const Place place(list, index);
  Stream s;
  s.type = decl.type;
  s.components = decl.components;
  s.count = decl.count;
  s.normalized = decl.normalized;
  s.source = static_cast<std::int32_t>(index);
  const std::uint64_t size = component_size(decl.type) * decl.components;
  s.stride = size;
  if (!decl.valid) return s;
  if (decl.view) {
    std::uint64_t stride = size;
    if (*decl.view < views_.size()) {
      const std::uint64_t declared = view(*decl.view, need).stride;
      if (declared != 0) stride = declared;
    }
    if (stride < size) {
      log_.add(Repair::Kind::count_mismatch, element, need == Need::skinning,
               "the stride of its buffer view, " + std::to_string(stride) +
                   ", is less than its element of " + std::to_string(size) +
                   " bytes: elements overlap",
               place.pointer());
    }
    const auto bytes =
        range(*decl.view, decl.offset, stride, decl.count, size, element, place, need);
    if (!bytes) return s;
    s.stride = stride;
    s.data = bytes->data();
  } else if (!decl.sparse) {
    // No view and no sparse values: all zero, says glTF 2.0 section 3.6.2.1.
    std::uint64_t total = 0;
    if (__builtin_mul_overflow(size, decl.count, &total) || !implied_.spend(total)) {
      log_.add(Repair::Kind::limit, element, need == Need::skinning,
               "it has no data, and zeros for " + std::to_string(decl.count) +
                   " elements are beyond the limit",
               place.pointer());
      return s;
    }
    s.data = allocate(total);
  }
  if (decl.sparse) s = dense_from_sparse(decl, s, index, need);
  return s;
}

std::optional<SparseStreams> GltfData::sparse_streams(const AccessorDecl& decl, std::uint64_t index,
                                                      Need need) {
  const ElementRef element = element_of(ElementKind::accessor, index);
  const JsonScope scope(log_, element);
  const Place top;
  const Place list(top, "accessors");
  const Place accessor_place(list, index);
  const Place place(accessor_place, "sparse");
  const auto object = scope.object(decl.sparse, place);
  if (!object) return std::nullopt;
  const auto [count_value, indices_value, values_value] =
      scope.pick<3>(*object, {"count", "indices", "values"}, place);
  const Place count_place(place, "count");
  const Place indices_place(place, "indices");
  const Place values_place(place, "values");
  const auto count = scope.count(count_value, count_place);
  const auto indices = scope.object(indices_value, indices_place);
  const auto values = scope.object(values_value, values_place);
  if (!count || !indices || !values) {
    scope.repair(Repair::Kind::defaulted, place, "sparse data without count, indices or values");
    return std::nullopt;
  }
  if (*count > decl.count) {
    scope.repair(
        Repair::Kind::count_mismatch, count_place,
        std::to_string(*count) + " sparse values for " + std::to_string(decl.count) + " elements");
    return std::nullopt;
  }
  const auto [index_view, index_offset, index_type] =
      scope.pick<3>(*indices, {"bufferView", "byteOffset", "componentType"}, indices_place);
  const auto [value_view, value_offset] =
      scope.pick<2>(*values, {"bufferView", "byteOffset"}, values_place);
  const auto number = [&](const std::optional<JsonValue>& value, const Place& up,
                          std::string_view key) {
    const Place at(up, key);
    return scope.count(value, at);
  };
  const auto iv = number(index_view, indices_place, "bufferView");
  const auto vv = number(value_view, values_place, "bufferView");
  const ComponentType type =
      component_type(number(index_type, indices_place, "componentType").value_or(0));
  const bool legal =
      type == ComponentType::u8 || type == ComponentType::u16 || type == ComponentType::u32;
  if (!iv || !vv || !legal) {
    scope.repair(Repair::Kind::wrong_type, place,
                 "sparse indices or values without a buffer view, or indices of another type than "
                 "unsigned integers");
    return std::nullopt;
  }
  SparseStreams out;
  out.count = decl.count;
  const std::uint64_t index_size = component_size(type);
  const std::uint64_t value_size = component_size(decl.type) * decl.components;
  const auto index_bytes = range(*iv, number(index_offset, indices_place, "byteOffset").value_or(0),
                                 index_size, *count, index_size, element, indices_place, need);
  const auto value_bytes = range(*vv, number(value_offset, values_place, "byteOffset").value_or(0),
                                 value_size, *count, value_size, element, values_place, need);
  if (!index_bytes || !value_bytes) return std::nullopt;
  out.indices = {index_bytes->data(), *count, index_size, type, 1, false, -1};
  out.values = {value_bytes->data(),
                *count,
                value_size,
                decl.type,
                decl.components,
                decl.normalized,
                static_cast<std::int32_t>(index)};
  return out;
}

Stream GltfData::dense_from_sparse(const AccessorDecl& decl, const Stream& base,
                                   std::uint64_t index, Need need) {
  Stream out = base;
  out.data = nullptr;
  const bool affects = need == Need::skinning;
  const Place top;
  const Place list(top, "accessors");
  const Place accessor_place(list, index);
  const Place place(accessor_place, "sparse");
  const ElementRef element = element_of(ElementKind::accessor, index);
  const std::optional<SparseStreams> sparse = sparse_streams(decl, index, need);
  if (!sparse) return out;
  const std::uint64_t size = component_size(decl.type) * decl.components;
  std::uint64_t total = 0;
  Allowance& allowance = decl.view ? decoded_ : implied_;
  std::byte* data = nullptr;
  if (!__builtin_mul_overflow(size, decl.count, &total) && allowance.spend(total))
    data = allocate(total);
  if (data == nullptr) {
    log_.add(Repair::Kind::limit, element, affects,
             "its " + std::to_string(decl.count) + " elements are beyond the limit",
             accessor_place.pointer());
    return out;
  }
  if (base.data != nullptr) {
    for (std::uint64_t i = 0; i < decl.count; ++i)
      std::memcpy(data + i * size, base.data + i * base.stride, size);
  }
  constexpr std::size_t block = 256;
  std::uint32_t at[block];
  std::uint64_t outside = 0;
  for (std::uint64_t first = 0; first < sparse->indices.count; first += block) {
    const std::size_t n = std::min<std::uint64_t>(block, sparse->indices.count - first);
    read_indices(sparse->indices, first, n, at);
    for (std::size_t i = 0; i < n; ++i) {
      if (at[i] < decl.count) {
        std::memcpy(data + at[i] * size, sparse->values.data + (first + i) * size, size);
      } else {
        ++outside;
      }
    }
  }
  if (outside > 0) {
    log_.add(Repair::Kind::out_of_bounds, element, affects,
             "sparse indices beyond its " + std::to_string(decl.count) + " elements are ignored",
             place.pointer(), outside);
  }
  out.data = data;
  out.stride = size;
  return out;
}

Stream GltfData::stream(JsonValue value, const Expected& expected, Need need, ElementRef element,
                        const Place& place) {
  const bool affects = need == Need::skinning;
  const JsonScope scope(log_, element);
  const std::int64_t index = scope.index(value, place, affects).value_or(-1);
  const AccessorDecl* decl = declaration(index, need);
  if (decl == nullptr) {
    if (integer_of(value)) {
      scope.repair(Repair::Kind::dangling_reference, place,
                   "the accessor " + std::to_string(index) + " does not exist", affects);
    }
    return unreadable(expected, expected.count, index);
  }
  AccessorSlot& slot = accessors_[static_cast<std::size_t>(index)];
  if (!slot.resolved) {
    slot.resolved = true;
    slot.stream = resolve(static_cast<std::uint64_t>(index), need);
  } else if (decl->view && *decl->view < views_.size()) {
    view(*decl->view, need);
  }
  Stream s = slot.stream;
  if (s.type == ComponentType::none || s.components == 0)
    return unreadable(expected, s.count, index);
  // An empty accessor is readable; one that could not be read must not look empty.
  if (s.data == nullptr && !(decl->valid && s.count == 0))
    s.count = std::max<std::size_t>(s.count, 1);
  if (!expected.strict) return s;
  if (s.components != expected.components || !expected.types.contains(s.type)) {
    scope.repair(Repair::Kind::wrong_type, place,
                 "accessor " + std::to_string(index) + " is of " + std::to_string(s.components) +
                     " x " + std::string(component_type_name(s.type)) +
                     ", which is not legal here; it is not read",
                 affects);
    s.data = nullptr;
  }
  return s;
}

std::optional<SparseStreams> GltfData::sparse_only(JsonValue value, const Expected& expected,
                                                   Need need) {
  const AccessorDecl* decl = declaration(integer_of(value).value_or(-1), need);
  if (decl == nullptr || !decl->valid || decl->view || !decl->sparse) return std::nullopt;
  if (decl->components != expected.components || !expected.types.contains(decl->type))
    return std::nullopt;
  return sparse_streams(*decl, static_cast<std::uint64_t>(*integer_of(value)), need);
}

}  // namespace skinlint
