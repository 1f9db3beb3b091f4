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
  /// The only order of version 1.
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

  /// The data of the leaf in the house log.
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

  /// Units in the draw.
  public long units() {
    return stock - holdbacks;
  }
}
