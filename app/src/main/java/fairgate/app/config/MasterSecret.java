package fairgate.app.config;

import fairgate.kernel.KeyRing;
import fairgate.platform.feature.Secret;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The signing keys as text: `id:hex`, separated by commas. The first key signs; all keys verify.
public final class MasterSecret {
  private static final Pattern FORM = Pattern.compile("[a-z0-9]{1,16}:([0-9a-f]{2}){32,}");
  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

  private MasterSecret() {}

  /// A new key of 256 random bits. Its id is the current second, so ids are unique and sort by age.
  public static String make(Clock clock, SecureRandom random) {
    byte[] bytes = new byte[32];
    random.nextBytes(bytes);
    return "k" + SECOND.format(clock.instant()) + ":" + HexFormat.of().formatHex(bytes);
  }

  /// The keys with a new one in front, which signs from now on.
  ///
  /// @param kept must have no `problem`
  public static String rotate(Secret kept, Clock clock, SecureRandom random) {
    KeyRing old = ring(kept);
    String fresh = make(clock, random);
    int cut = fresh.indexOf(':');
    String id = fresh.substring(0, cut);
    String unused = id;
    for (char letter = 'b'; old.knows(unused); letter++) {
      unused = id + letter;
    }
    return unused + fresh.substring(cut) + "," + kept.expose();
  }

  /// The problem of the text; empty when it is valid.
  public static Optional<String> problem(Secret text) {
    boolean right =
        !text.isEmpty()
            && COMMA.splitAsStream(text.expose()).allMatch(key -> FORM.matcher(key).matches());
    if (!right) {
      return Optional.of("expected id:hex of at least 32 bytes, as `fairgate keys new` makes it");
    }
    // One of two keys with the same id would be ignored, perhaps the new one.
    Set<String> ids = new HashSet<>();
    return COMMA
        .splitAsStream(text.expose())
        .map(key -> key.substring(0, key.indexOf(':')))
        .filter(id -> !ids.add(id))
        .findFirst()
        .map(id -> "two keys are named " + id + "; give the new one another name, say " + id + "b");
  }

  /// The keys in the form for the features.
  ///
  /// @param text without a `problem`
  public static KeyRing ring(Secret text) {
    Map<String, byte[]> keys = bytes(text);
    return new KeyRing(keys.keySet().iterator().next(), keys);
  }

  /// The keys by id, in order.
  ///
  /// @param text without a `problem`
  static Map<String, byte[]> bytes(Secret text) {
    Map<String, byte[]> keys = new LinkedHashMap<>();
    COMMA
        .splitAsStream(text.expose())
        .forEach(
            key -> {
              int cut = key.indexOf(':');
              keys.put(key.substring(0, cut), HexFormat.of().parseHex(key.substring(cut + 1)));
            });
    return keys;
  }
}
