#include "rules/joint_sides.h"

#include <array>
#include <map>

#include "model/letters.h"
#include "rules/joint_list.h"

namespace skinlint::rules {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return is_upper(c) || is_lower(c); }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

/// Without the namespace, and with "FBXASC046" read as the character it stands for, 46.
std::string plain_name(std::string_view name) {
  name = name.substr(name.rfind(':') + 1);  // npos + 1 is 0
  constexpr std::string_view escape = "FBXASC";
  std::string plain;
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t digits = i + escape.size();
    if (name.compare(i, escape.size(), escape) == 0 && digits + 3 <= name.size() &&
        is_digit(name[digits]) && is_digit(name[digits + 1]) && is_digit(name[digits + 2])) {
      const int code =
          100 * (name[digits] - '0') + 10 * (name[digits + 1] - '0') + (name[digits + 2] - '0');
      plain += static_cast<char>(code < 256 ? code : '_');
      i = digits + 3;
    } else {
      plain += name[i++];
    }
  }
  return plain;
}

/// "LThigh_l01" -> "L", "Thigh", "_", "l", "01": words by capitals, numbers, what lies between.
std::vector<std::string> words_of_name(const std::string& name) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t begin = i;
    if (is_digit(name[i])) {
      while (i < name.size() && is_digit(name[i])) ++i;
    } else if (is_letter(name[i])) {
      while (i < name.size() && is_upper(name[i])) ++i;
      const bool more = i < name.size() && is_lower(name[i]);
      if (more && i - begin > 1) {
        --i;  // the last capital begins the next word
      } else {
        while (i < name.size() && is_lower(name[i])) ++i;
      }
    } else {
      while (i < name.size() && !is_word(name[i])) ++i;
    }
    tokens.push_back(name.substr(begin, i - begin));
  }
  return tokens;
}

bool is_separator(const std::string& token) { return !is_word(token.front()); }

/// A single letter means a side only where it stands apart; "L" in "ArmLUpper" may mean anything.
bool stands_apart(const std::vector<std::string>& tokens, std::size_t i) {
  if (i == 0 || i + 1 == tokens.size()) return true;
  return is_separator(tokens[i - 1]) || is_separator(tokens[i + 1]) ||
         is_digit(tokens[i + 1].front());
}

std::optional<Side> side_of_word(const std::vector<std::string>& tokens, std::size_t i) {
  const std::string word = lower_case(tokens[i]);
  if (word == "left") return Side::left;
  if (word == "right") return Side::right;
  if (word == "l" && stands_apart(tokens, i)) return Side::left;
  if (word == "r" && stands_apart(tokens, i)) return Side::right;
  return std::nullopt;
}

}  // namespace

std::vector<SidedName> sided_names(std::string_view name) {
  std::vector<SidedName> found;
  constexpr std::size_t longest = 256;  // no artist's name; a hostile one could hold many sides
  if (name.size() > longest) return found;
  const std::string plain = plain_name(name);
  const std::vector<std::string> tokens = words_of_name(plain);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::optional<Side> side = side_of_word(tokens, i);
    if (!side) continue;
    std::string key;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      // A word and a letter are two ways of naming and no counterparts.
      key += t != i ? lower_case(tokens[t]) : tokens[i].size() > 1 ? "\x01" : "\x02";
    }
    found.push_back({*side, std::move(key)});
  }
  constexpr std::array<std::pair<std::string_view, Side>, 2> characters = {
      {{"\xE5\xB7\xA6", Side::left}, {"\xE5\x8F\xB3", Side::right}}};  // 左, 右
  for (const auto& [character, side] : characters) {
    const std::size_t at = plain.find(character);
    if (at == std::string::npos) continue;
    // Appended piece by piece: g++ 12 sees an overlap in replace() that is not there.
    std::string key = lower_case(plain.substr(0, at));
    key += '\x03';
    key += lower_case(plain.substr(at + character.size()));
    found.push_back({side, std::move(key)});
  }
  return found;
}

std::vector<JointPair> sided_pairs(const Asset& asset, const Skin& skin) {
  struct Bearers {
    std::array<std::int32_t, 2> slot = {-1, -1};
    std::array<int, 2> count = {0, 0};
  };
  std::map<std::string, Bearers> by_key;
  std::vector<std::vector<SidedName>> names(skin.joints.size());
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    if (skin.joints[slot] < 0) continue;
    names[slot] = sided_names(asset.nodes[static_cast<std::size_t>(skin.joints[slot])].name);
    for (const SidedName& name : names[slot]) {
      Bearers& bearers = by_key[name.key];
      const auto side = static_cast<std::size_t>(name.side);
      bearers.slot[side] = static_cast<std::int32_t>(slot);
      ++bearers.count[side];
    }
  }
  std::vector<JointPair> pairs;
  std::vector<bool> taken(skin.joints.size(), false);
  for (std::size_t slot = 0; slot < names.size(); ++slot) {
    for (const SidedName& name : names[slot]) {
      const Bearers& bearers = by_key[name.key];
      if (name.side != Side::left || bearers.count[0] != 1 || bearers.count[1] != 1) continue;
      const auto right = static_cast<std::size_t>(bearers.slot[1]);
      if (taken[slot] || taken[right] || skin.joints[slot] == skin.joints[right]) continue;
      taken[slot] = taken[right] = true;
      pairs.push_back({static_cast<std::int32_t>(slot), bearers.slot[1]});
    }
  }
  return pairs;
}

std::vector<std::optional<Mat4>> joints_at_bind(const RuleInput& input, std::size_t skin) {
  const Skin& joints = input.asset.skins[skin];
  std::vector<std::optional<Mat4>> world(joints.joints.size());
  if (has_no_matrices(input.asset, skin)) return world;
  for (const std::size_t b : input.facts.bindings_of_skin(skin)) {
    const BindAnalysis& bind = input.facts.bind(b);
    if (bind.state == BindState::unknown) continue;
    for (std::size_t slot = 0; slot < world.size() && slot < bind.joints.size(); ++slot) {
      if (bind.joints[slot].use != JointBind::Use::usable || !joints.joint_from_mesh[slot]) {
        continue;
      }
      const std::optional<Mat4> mesh_from_joint = affine_inverse(*joints.joint_from_mesh[slot]);
      if (mesh_from_joint) world[slot] = bind.consensus * *mesh_from_joint;
    }
    return world;
  }
  return world;
}

}  // namespace skinlint::rules
