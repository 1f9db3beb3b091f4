package fairgate.kernel;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.function.BiPredicate;

/// Encodes and decodes decision ids: base64url of the decision and 12 bytes of its HMAC-SHA256. An
/// id describes itself, so a refusal stores nothing.
///
/// The decision is version (1), code (position in [Decision#CODES]), time (8 bytes, µs), ban (8
/// bytes), and six texts, each after its length in one byte: product, rule, version, reference,
/// browser, network.
public final class DecisionCodec {
  /// The maximum length of an id.
  public static final int MAX_LENGTH = 200;

  private static final String PURPOSE = "decision-id";
  private static final byte VERSION = 1;
  private static final int SIGNATURE = 12;
  private static final int LONGEST_TEXT = 24;
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

  private final KeyRing keys;

  public DecisionCodec(KeyRing keys) {
    this.keys = keys;
  }

  /// The id of a decision. Texts of more than 24 characters are cut.
  public String encode(Decision decision) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(96);
    out.write(VERSION);
    out.write(Decision.CODES.indexOf(decision.code()));
    out.writeBytes(
        ByteBuffer.allocate(16).putLong(decision.micros()).putLong(decision.ban()).array());
    ProductId product = decision.product();
    write(out, product == null ? "" : product.value());
    write(out, decision.rule());
    write(out, decision.version());
    write(out, decision.ref());
    write(out, decision.browser());
    write(out, decision.network());
    byte[] content = out.toByteArray();
    byte[] signature = keys.sign(PURPOSE, text(content));
    out.write(signature, 0, SIGNATURE);
    return ENCODER.encodeToString(out.toByteArray());
  }

  /// The decision of an id; empty when this server did not issue it.
  public Optional<Decision> decode(String id) {
    return read(id, this::isGenuine);
  }

  /// The decision that an id describes, whoever has made it: for operators, who have no keys at
  /// hand. Empty when it describes none.
  public static Optional<Decision> describe(String id) {
    return read(id, (_, _) -> true);
  }

  /// @param isGenuine called with the content and its signature
  private static Optional<Decision> read(String id, BiPredicate<byte[], byte[]> isGenuine) {
    if (id.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    try {
      byte[] bytes = DECODER.decode(id);
      // Base64 has unused bits at the end; only the canonical encoding is accepted.
      if (bytes.length <= SIGNATURE || !ENCODER.encodeToString(bytes).equals(id)) {
        return Optional.empty();
      }
      byte[] content = Arrays.copyOf(bytes, bytes.length - SIGNATURE);
      byte[] signature = Arrays.copyOfRange(bytes, content.length, bytes.length);
      return isGenuine.test(content, signature)
          ? Optional.of(read(ByteBuffer.wrap(content)))
          : Optional.empty();
    } catch (IllegalArgumentException | BufferUnderflowException notOurs) {
      return Optional.empty();
    }
  }

  private boolean isGenuine(byte[] content, byte[] signature) {
    boolean genuine = false;
    for (String keyId : keys.ids()) {
      byte[] expected = Arrays.copyOf(keys.sign(keyId, PURPOSE, text(content)), SIGNATURE);
      genuine |= java.security.MessageDigest.isEqual(expected, signature);
    }
    return genuine;
  }

  private static Decision read(ByteBuffer in) {
    if (in.get() != VERSION) {
      throw new IllegalArgumentException("unknown version");
    }
    int code = in.get();
    if (code < 0 || code >= Decision.CODES.size()) {
      throw new IllegalArgumentException("unknown code");
    }
    long micros = in.getLong();
    long ban = in.getLong();
    String product = text(in);
    return new Decision(
        Decision.CODES.get(code),
        micros,
        product.isEmpty() ? null : new ProductId(product),
        text(in),
        text(in),
        ban,
        text(in),
        text(in),
        text(in));
  }

  private static void write(ByteArrayOutputStream out, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    int length = Math.min(LONGEST_TEXT, bytes.length);
    out.write(length);
    out.write(bytes, 0, length);
  }

  private static String text(ByteBuffer in) {
    byte[] bytes = new byte[Byte.toUnsignedInt(in.get())];
    in.get(bytes);
    return text(bytes);
  }

  /// One character per byte.
  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
