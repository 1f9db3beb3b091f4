package fairgate.draw.verify;

import fairgate.draw.DrawVectors;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.StrictText;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/// The beacon chains of test draws.
public final class TestChains {
  /// The description of the chain whose first 1,000 rounds are recorded.
  static final byte[] INFO = DrawVectors.resource("test_chain.json");

  private static final int SECOND_PERIOD = 30;

  /// The description of a chain of the same key, and so with the same signatures, with a round
  /// every 30 seconds.
  static final byte[] SECOND_INFO = secondInfo();

  private static final String ID = "fairgate-test";

  /// Malformed descriptions of chains, whose hashes are those of their contents.
  static final byte[] FROM_1970 = info(3, 0, ID);

  static final byte[] NUMBER_AS_ID = withNumberAsId();

  public static final BeaconChain FIRST = BeaconChain.parse(INFO).orElseThrow();
  public static final BeaconChain SECOND = BeaconChain.parse(SECOND_INFO).orElseThrow();

  /// The chains that a verifier must be told.
  public static final Set<String> NAMED =
      Set.of(FIRST.hash(), SECOND.hash(), hashOf(FROM_1970), hashOf(NUMBER_AS_ID));

  private static final List<byte[]> ROUNDS =
      StrictText.utf8(DrawVectors.resource("test_rounds.txt"))
          .orElseThrow()
          .lines()
          .map(HexFormat.of()::parseHex)
          .toList();

  private TestChains() {}

  /// The signature of a round of both chains.
  static byte[] signature(long round) {
    return ROUNDS.get((int) round - 1);
  }

  private static byte[] secondInfo() {
    return info(SECOND_PERIOD, Long.parseLong(text(Json.parseObject(INFO), "genesis_time")), ID);
  }

  private static byte[] withNumberAsId() {
    String unnamed = StrictText.utf8(info(3, 1_767_225_600, "")).orElseThrow();
    return StrictText.bytes(unnamed.replace("\"beaconID\":\"\"", "\"beaconID\":5"));
  }

  /// The hash that a description tells.
  static String hashOf(byte[] info) {
    return text(Json.parseObject(info), "hash");
  }

  /// The description of a chain of the same key, with its own hash.
  private static byte[] info(int period, long genesis, String id) {
    JsonObject info = Json.parseObject(INFO);
    HexFormat hex = HexFormat.of();
    Hash hash =
        Hash.ofParts(
            ByteBuffer.allocate(12).putInt(period).putLong(genesis).array(),
            hex.parseHex(text(info, "public_key")),
            hex.parseHex(text(info, "groupHash")),
            StrictText.bytes(id));
    return StrictText.bytes(
        StrictText.utf8(INFO)
            .orElseThrow()
            .replace("\"period\":3,", "\"period\":" + period + ",")
            .replace("_time\":" + text(info, "genesis_time"), "_time\":" + genesis)
            .replace("fairgate-test", id)
            .replace(text(info, "hash"), hash.hex()));
  }

  private static String text(JsonObject object, String name) {
    return String.valueOf(object.get(name));
  }
}
