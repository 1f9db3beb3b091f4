package fairgate.kernel;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/// Ids of decisions that are stored after the reply: 22 characters of base64url. An id has its time
/// and is signed, so a decision that is not stored yet can be told from one that nobody made.
///
/// The first 12 characters are the time (4 bytes, s) and a serial number (5 bytes), the last ten
/// are 7 bytes of their HMAC-SHA256. Serial numbers of a process start at random.
public final class StoredDecisionIds {
  private static final String PURPOSE = "stored-decision";
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{22}");
  private static final int CONTENT = 9;
  private static final int CONTENT_TEXT = 12;
  private static final int SIGNATURE = 7;
  private static final int SERIAL_BITS = 40;
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

  private final KeyRing keys;
  private final AtomicLong serial = new AtomicLong(ThreadLocalRandom.current().nextLong());

  public StoredDecisionIds(KeyRing keys) {
    this.keys = keys;
  }

  /// A new id of a decision made at this time, Unix milliseconds.
  public String issue(long millis) {
    long number = serial.getAndIncrement() & ((1L << SERIAL_BITS) - 1);
    byte[] content =
        ByteBuffer.allocate(CONTENT)
            .putInt((int) (millis / 1_000))
            .put((byte) (number >>> 32))
            .putInt((int) number)
            .array();
    String text = ENCODER.encodeToString(content);
    return text + signature(keys.current(), text);
  }

  /// The time of the decision, to the second; empty when this server did not issue the id.
  public Optional<Instant> issuedAt(String id) {
    if (!FORM.matcher(id).matches()) {
      return Optional.empty();
    }
    String content = id.substring(0, CONTENT_TEXT);
    byte[] sent = id.substring(CONTENT_TEXT).getBytes(StandardCharsets.US_ASCII);
    boolean genuine = false;
    for (String keyId : keys.ids()) {
      byte[] expected = signature(keyId, content).getBytes(StandardCharsets.US_ASCII);
      genuine |= MessageDigest.isEqual(expected, sent);
    }
    int seconds = ByteBuffer.wrap(Base64.getUrlDecoder().decode(content)).getInt();
    return genuine
        ? Optional.of(Instant.ofEpochSecond(Integer.toUnsignedLong(seconds)))
        : Optional.empty();
  }

  private String signature(String keyId, String content) {
    byte[] whole = keys.sign(keyId, PURPOSE, content);
    return ENCODER.encodeToString(Arrays.copyOf(whole, SIGNATURE));
  }
}
