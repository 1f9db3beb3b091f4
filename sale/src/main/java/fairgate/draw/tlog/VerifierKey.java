package fairgate.draw.tlog;

import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;

/// A public key of a log or of a witness, with the name under which it signs notes.
public final class VerifierKey {
  private static final int KEY_LENGTH = 32;

  /// No plus sign, no control character and no white space, spelled out because programming
  /// languages differ in what they call white space.
  private static final String NAME_FORM =
      "[^+\\x00-\\x20\\x7f-\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]{1,200}";

  private static final Pattern NAME = Pattern.compile(NAME_FORM);
  private static final Pattern TEXT =
      Pattern.compile("(" + NAME_FORM + ")\\+([0-9a-f]{8})\\+([A-Za-z0-9+/]{44})");

  /// The signature types of C2SP signed notes that draws use.
  public enum Type {
    /// An Ed25519 signature of the note's text, by a log.
    LOG(1),
    COSIGNATURE(4);

    private final byte code;

    Type(int code) {
      this.code = (byte) code;
    }
  }

  private final String name;
  private final Type type;
  private final byte[] publicKey;
  private final byte[] id;

  private VerifierKey(String name, Type type, byte[] publicKey) {
    this.name = name;
    this.type = type;
    this.publicKey = publicKey;
    byte[] hash =
        Hash.ofParts(StrictText.bytes(name + "\n"), new byte[] {type.code}, publicKey).bytes();
    this.id = Arrays.copyOf(hash, 4);
  }

  /// The key of this name. The public key has 32 bytes.
  static VerifierKey of(String name, Type type, byte[] publicKey) {
    return new VerifierKey(name, type, publicKey.clone());
  }

  /// Parses `name+id+key`. Empty if it is malformed, of another type, or if the id is not the
  /// computed one.
  public static Optional<VerifierKey> parse(String text, Type type) {
    var matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    Optional<byte[]> encoded = StrictText.base64(matcher.group(3));
    if (encoded.isEmpty()
        || encoded.get().length != KEY_LENGTH + 1
        || encoded.get()[0] != type.code) {
      return Optional.empty();
    }
    byte[] publicKey = Arrays.copyOfRange(encoded.get(), 1, KEY_LENGTH + 1);
    if (!isPoint(publicKey)) {
      return Optional.empty();
    }
    VerifierKey key = new VerifierKey(matcher.group(1), type, publicKey);
    return HexFormat.of().formatHex(key.id).equals(matcher.group(2))
        ? Optional.of(key)
        : Optional.empty();
  }

  static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  private static boolean isPoint(byte[] publicKey) {
    try {
      return new Ed25519PublicKeyParameters(publicKey, 0).getEncoded().length == KEY_LENGTH;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  public VerifierKey named(String other) {
    return new VerifierKey(other, type, publicKey);
  }

  public String name() {
    return name;
  }

  boolean isOf(String lineName, byte[] lineId) {
    return name.equals(lineName) && Arrays.equals(id, lineId);
  }

  /// Whether both have the same public key, under any name.
  public boolean hasKeyOf(VerifierKey other) {
    return Arrays.equals(publicKey, other.publicKey);
  }

  byte[] id() {
    return id.clone();
  }

  boolean verifies(byte[] message, byte[] signature) {
    Ed25519Signer signer = new Ed25519Signer();
    signer.init(false, new Ed25519PublicKeyParameters(publicKey, 0));
    signer.update(message, 0, message.length);
    return signer.verifySignature(signature);
  }

  /// The text that [#parse] reads.
  public String text() {
    byte[] encoded = new byte[KEY_LENGTH + 1];
    encoded[0] = type.code;
    System.arraycopy(publicKey, 0, encoded, 1, KEY_LENGTH);
    return name
        + '+'
        + HexFormat.of().formatHex(id)
        + '+'
        + Base64.getEncoder().encodeToString(encoded);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof VerifierKey key && text().equals(key.text());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(id);
  }

  @Override
  public String toString() {
    return text();
  }
}
