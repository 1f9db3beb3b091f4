package fairgate.account;

import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A password's hash with all that is needed to compute it again, as a PHC string:
/// `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`.
@SuppressWarnings("ArrayRecordComponent") // Never compared as a whole.
record PasswordHash(int memoryKib, int iterations, byte[] salt, byte[] tag) {
  /// Parameters beyond these would make checking a stored hash a weapon.
  private static final Pattern FORM =
      Pattern.compile(
          "\\$argon2id\\$v=19\\$m=(\\d{1,7}),t=(\\d{1,2}),p=1\\$([A-Za-z0-9+/]{11,86})"
              + "\\$([A-Za-z0-9+/]{22,86})");

  /// Reads a PHC string; empty when it is none of Argon2id version 19 with one lane.
  static Optional<PasswordHash> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    try {
      Base64.Decoder decoder = Base64.getDecoder();
      return Optional.of(
          new PasswordHash(
              Integer.parseInt(matcher.group(1)),
              Integer.parseInt(matcher.group(2)),
              decoder.decode(matcher.group(3)),
              decoder.decode(matcher.group(4))));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /// The PHC string.
  String text() {
    Base64.Encoder encoder = Base64.getEncoder().withoutPadding();
    return "$argon2id$v=19$m=%d,t=%d,p=1$%s$%s"
        .formatted(
            memoryKib, iterations, encoder.encodeToString(salt), encoder.encodeToString(tag));
  }
}
