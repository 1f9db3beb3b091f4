package fairgate.app.config;

import fairgate.kernel.KeyRing;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// The signing keys as text: `id:hex`, several separated by commas. The first one signs; the others
/// still verify what they signed.
public final class MasterSecret {
  private static final Pattern FORM = Pattern.compile("[a-z0-9]{1,16}:([0-9a-f]{2}){32,}");
  private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

  private MasterSecret() {}

  /// A new key of 256 random bits, named after the day it is made.
  public static String make(Clock clock, SecureRandom random) {
    byte[] bytes = new byte[32];
    random.nextBytes(bytes);
    Instant now = clock.instant();
    String day =
        DateTimeFormatter.BASIC_ISO_DATE.format(now.atOffset(ZoneOffset.UTC).toLocalDate());
    return "k" + day + ":" + HexFormat.of().formatHex(bytes);
  }

  /// The keys with a new one in front: it signs from now on, the others still verify.
  ///
  /// @param kept without a `problem`
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

  /// What is wrong with the text; empty when nothing is.
  public static Optional<String> problem(Secret text) {
    boolean right =
        !text.isEmpty()
            && COMMA.splitAsStream(text.expose()).allMatch(key -> FORM.matcher(key).matches());
    return right
        ? Optional.empty()
        : Optional.of("expected id:hex of at least 32 bytes, as `fairgate keys new` makes it");
  }

  /// The keys as the features use them.
  ///
  /// @param text without a `problem`
  public static KeyRing ring(Secret text) {
    Map<String, byte[]> keys = new LinkedHashMap<>();
    COMMA
        .splitAsStream(text.expose())
        .forEach(
            key -> {
              int cut = key.indexOf(':');
              keys.put(key.substring(0, cut), HexFormat.of().parseHex(key.substring(cut + 1)));
            });
    return new KeyRing(keys.keySet().iterator().next(), keys);
  }
}
