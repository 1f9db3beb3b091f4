package fairgate.draw.beacon;

import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.StrictJson;
import fairgate.draw.tlog.StrictText;
import fairgate.platform.json.JsonObject;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A drand chain whose rounds are signed independently of each other, with signatures in G1.
/// Beacons prove themselves, wherever they come from.
public final class BeaconChain {
  /// The scheme that is supported.
  public static final String SCHEME = "bls-unchained-g1-rfc9380";

  private static final int MAX_REMEMBERED = 64;
  private static final Pattern HEX = Pattern.compile("(?:[0-9a-f]{2})*+");

  /// Chains by their descriptions: parsing one takes ten milliseconds.
  private static final Map<String, Optional<BeaconChain>> PARSED = remembered();

  /// The quicknet of the League of Entropy: a round every three seconds.
  public static final BeaconChain QUICKNET =
      parse(
              StrictText.bytes(
                  """
                  {"public_key":"83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c\
                  8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb\
                  5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",\
                  "period":3,"genesis_time":1692803367,\
                  "hash":"52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",\
                  "groupHash":"f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",\
                  "schemeID":"bls-unchained-g1-rfc9380","metadata":{"beaconID":"quicknet"}}"""))
          .orElseThrow();

  private static final long MAX_PERIOD = 86_400;
  private static final String DEFAULT_ID = "default";

  private final String hash;
  private final BlsKey key;
  private final long period;
  private final long genesis;

  /// Valid signatures by round: many people send the same one, and verifying it takes tens of
  /// milliseconds.
  private final Map<Long, Hash> valid = remembered();

  private BeaconChain(String hash, BlsKey key, long period, long genesis) {
    this.hash = hash;
    this.key = key;
    this.period = period;
    this.genesis = genesis;
  }

  /// Parses the description that drand serves at `/info`. Empty if it is malformed, if its hash is
  /// not that of its contents, or if the scheme is another.
  public static Optional<BeaconChain> parse(byte[] info) {
    return PARSED.computeIfAbsent(
        Hash.ofParts(info).hex(), _ -> StrictJson.object(info).flatMap(BeaconChain::read));
  }

  /// A map that forgets its eldest entries.
  private static <K, V> Map<K, V> remembered() {
    return Collections.synchronizedMap(
        new LinkedHashMap<>() {
          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > MAX_REMEMBERED;
          }
        });
  }

  private static Optional<BeaconChain> read(JsonObject info) {
    long period = number(info, "period");
    long genesis = number(info, "genesis_time");
    if (!SCHEME.equals(info.get("schemeID"))
        || period < 1
        || period > MAX_PERIOD
        || genesis < 1
        || !(info.get("public_key") instanceof String publicKey && HEX.matcher(publicKey).matches())
        || !(info.get("groupHash") instanceof String group && HEX.matcher(group).matches())
        || !(beaconId(info) instanceof String id)) {
      return Optional.empty();
    }
    byte[] key = HexFormat.of().parseHex(publicKey);
    String hash =
        Hash.ofParts(
                ByteBuffer.allocate(12).putInt((int) period).putLong(genesis).array(),
                key,
                HexFormat.of().parseHex(group),
                StrictText.bytes(id.equals(DEFAULT_ID) ? "" : id))
            .hex();
    return BlsKey.parse(key)
        .filter(_ -> hash.equals(info.get("hash")))
        .map(parsed -> new BeaconChain(hash, parsed, period, genesis));
  }

  private static @Nullable Object beaconId(JsonObject info) {
    return info.get("metadata") instanceof JsonObject metadata && metadata.has("beaconID")
        ? metadata.get("beaconID")
        : DEFAULT_ID;
  }

  private static long number(JsonObject info, String name) {
    return StrictJson.whole(info.get(name)).orElse(0);
  }

  /// The hash that names the chain, 64 hexadecimal digits.
  public String hash() {
    return hash;
  }

  /// The time of a round, in seconds since 1970; the largest number if it is larger.
  public long timeOf(long round) {
    return round - 1 > (Long.MAX_VALUE - genesis) / period
        ? Long.MAX_VALUE
        : genesis + (round - 1) * period;
  }

  /// The first round at or after a time.
  ///
  /// @param seconds since 1970
  public long roundAt(long seconds) {
    return seconds <= genesis ? 1 : Math.ceilDiv(seconds - genesis, period) + 1;
  }

  public boolean verifies(long round, byte[] signature) {
    Hash given = Hash.ofParts(signature);
    Hash known = valid.get(round);
    if (known != null && known.equals(given)) {
      return true;
    }
    boolean isValid = key.verifies(message(round), signature);
    if (isValid) {
      valid.put(round, given);
    }
    return isValid;
  }

  /// The message that a round signs.
  static byte[] message(long round) {
    return Hash.ofParts(ByteBuffer.allocate(Long.BYTES).putLong(round).array()).bytes();
  }

  public static Hash randomness(byte[] signature) {
    return Hash.ofParts(signature);
  }
}
