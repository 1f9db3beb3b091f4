package fairgate.draw.leaf;

import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The rules of a draw, which are published before it opens.
///
/// @param stock units in all
/// @param holdbacks units that are not in the draw
/// @param open seconds since 1970, like all times
/// @param beacon the round that decides
/// @param fallbackRounds rounds that decide if earlier ones are given up, in this order
/// @param secondBeacon the round of another chain that decides if all of these are given up
/// @param quorum number of witnesses that must cosign
/// @param qtyMax largest number of units of an entry
/// @param skipsUnfit whether an entry that wants too many units is skipped; else it stops the
///   allocation
/// @param allocateUntil units that are left at this time stay unsold
/// @param json the canonical text
public record DrawRules(
    String draw,
    long stock,
    long holdbacks,
    OptionalLong open,
    long close,
    long sealBy,
    BeaconRound beacon,
    List<Long> fallbackRounds,
    Optional<BeaconRound> secondBeacon,
    List<VerifierKey> witnesses,
    int quorum,
    long qtyMax,
    int tiers,
    boolean skipsUnfit,
    OptionalLong allocateUntil,
    int auditSize,
    String json) {
  public static final String ORDER = "lots/1";

  private static final byte[] LEAF = StrictText.bytes("fairgate-rules/1\n");
  private static final int MAX_LENGTH = 60_000;

  /// Parses canonical JSON; empty if it is malformed, not canonical, or contradicts itself.
  public static Optional<DrawRules> parse(byte[] json) {
    if (json.length > MAX_LENGTH) {
      return Optional.empty();
    }
    try {
      JsonObject object = Json.parseObject(json);
      Optional<String> canonical = CanonicalJson.of(object);
      return canonical
          .filter(text -> Arrays.equals(StrictText.bytes(text), json))
          .flatMap(text -> new RulesReader(object).read(text));
    } catch (JsonSyntaxException e) {
      return Optional.empty();
    }
  }

  /// Brings JSON into canonical form; empty if it is malformed or contradicts itself.
  public static Optional<DrawRules> canonical(String json) {
    try {
      return CanonicalJson.of(Json.parseObject(json))
          .flatMap(text -> parse(StrictText.bytes(text)));
    } catch (JsonSyntaxException e) {
      return Optional.empty();
    }
  }

  static boolean isLeaf(byte[] data) {
    return data.length >= LEAF.length && Arrays.equals(data, 0, LEAF.length, LEAF, 0, LEAF.length);
  }

  static Optional<DrawRules> parseLeaf(byte[] data) {
    return parse(Arrays.copyOfRange(data, LEAF.length, data.length));
  }

  public byte[] leafData() {
    byte[] text = StrictText.bytes(json);
    byte[] data = Arrays.copyOf(LEAF, LEAF.length + text.length);
    System.arraycopy(text, 0, data, LEAF.length, text.length);
    return data;
  }

  /// The hash that the seal names.
  public Hash hash() {
    return Hash.ofParts(leafData());
  }

  /// The product whose units are drawn; empty if the rules do not name it.
  public Optional<String> product() {
    return Json.parseObject(json).get("product") instanceof String product
        ? Optional.of(product)
        : Optional.empty();
  }

  public long units() {
    return stock - holdbacks;
  }

  /// Writes parsed JSON in the canonical form of RFC 8785. Numbers are integers from 0 to 2^53 - 1.
  static final class CanonicalJson {
    private final StringBuilder text = new StringBuilder();
    private boolean isRepresentable = true;

    private CanonicalJson() {}

    /// The canonical form; empty if there is another number.
    static Optional<String> of(JsonObject object) {
      CanonicalJson json = new CanonicalJson();
      json.object(object);
      return json.isRepresentable ? Optional.of(json.text.toString()) : Optional.empty();
    }

    private void object(JsonObject object) {
      text.append('{');
      String separator = "";
      // String's order is that of UTF-16 code units.
      for (String name : object.names().stream().sorted().toList()) {
        text.append(separator);
        string(name);
        text.append(':');
        value(object.get(name));
        separator = ",";
      }
      text.append('}');
    }

    private void value(@Nullable Object value) {
      switch (value) {
        case null -> text.append("null");
        case String string -> string(string);
        case Boolean bool -> text.append(bool);
        case Long number when number >= 0 && number <= StrictText.MAX_NUMBER -> text.append(number);
        case JsonObject object -> object(object);
        case List<?> list -> list(list);
        default -> isRepresentable = false;
      }
    }

    private void list(List<?> list) {
      text.append('[');
      String separator = "";
      for (Object each : list) {
        text.append(separator);
        value(each);
        separator = ",";
      }
      text.append(']');
    }

    private void string(String string) {
      text.append('"');
      for (int i = 0; i < string.length(); i++) {
        char c = string.charAt(i);
        switch (c) {
          case '"' -> text.append("\\\"");
          case '\\' -> text.append("\\\\");
          case '\b' -> text.append("\\b");
          case '\f' -> text.append("\\f");
          case '\n' -> text.append("\\n");
          case '\r' -> text.append("\\r");
          case '\t' -> text.append("\\t");
          default -> text.append(c < ' ' ? "\\u%04x".formatted((int) c) : String.valueOf(c));
        }
      }
      text.append('"');
    }
  }
}
