package fairgate.account;

import fairgate.kernel.Hashes;
import fairgate.kernel.KeyRing;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;

/// Makes and recognizes the tokens of sessions: `chance.keyId.signature`, 256 bits of chance and
/// 128 bits of HMAC-SHA256 over them for one purpose.
///
/// The chance alone is the secret. The signature spares the stores: a token made up by a stranger
/// is known as such without asking anybody.
public final class SessionToken {
  private static final int CHANCE_BYTES = 32;
  private static final int CHANCE = 43;
  private static final int SIGNATURE_BYTES = 16;
  private static final int MAX_LENGTH = 128;

  private final KeyRing keys;
  private final String purpose;
  private final SecureRandom random;

  /// @param purpose of the signature; tokens of one purpose are unknown to all others
  public SessionToken(KeyRing keys, String purpose, SecureRandom random) {
    this.keys = keys;
    this.purpose = purpose;
    this.random = random;
  }

  public String make() {
    byte[] bytes = new byte[CHANCE_BYTES];
    random.nextBytes(bytes);
    String chance = encode(bytes);
    String keyId = keys.current();
    return chance + '.' + keyId + '.' + encode(sign(keyId, chance));
  }

  /// Whether this server created the token. The session may have ended.
  public boolean isOurs(String token) {
    int last = token.lastIndexOf('.');
    if (token.length() > MAX_LENGTH || last < CHANCE + 2 || token.charAt(CHANCE) != '.') {
      return false;
    }
    String keyId = token.substring(CHANCE + 1, last);
    if (!keys.knows(keyId)) {
      return false;
    }
    String expected = encode(sign(keyId, token.substring(0, CHANCE)));
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.UTF_8),
        token.substring(last + 1).getBytes(StandardCharsets.UTF_8));
  }

  /// The stored form of a token: its SHA-256. A slow hash is unnecessary, because the token is too
  /// random to be guessed.
  public static String hash(String token) {
    return encode(Hashes.sha256(token));
  }

  private byte[] sign(String keyId, String chance) {
    return Arrays.copyOf(keys.sign(keyId, purpose, chance), SIGNATURE_BYTES);
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
