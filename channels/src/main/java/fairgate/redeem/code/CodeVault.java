package fairgate.redeem.code;

import fairgate.kernel.KeyRing;
import fairgate.platform.text.TypedCode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Converts codes to their stored form and back: a keyed hash for lookups, the encrypted code, and
/// the last four characters for display.
///
/// The hash is HMAC-SHA256 of the normalised code. The encryption is AES-256-GCM with a random
/// nonce, and authenticates the hash, so that a ciphertext moved to another row cannot be
/// decrypted. Both keys are derived from the server's current master key, whose id is stored with
/// them.
public final class CodeVault {
  private static final String HASH = "redeem-code-hash";
  private static final String BOX = "redeem-code-box";
  private static final int NONCE = 12;
  private static final int TAG_BITS = 128;
  private static final int SHOWN = 4;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final KeyRing keys;
  private final Map<String, SecretKeySpec> boxKeys = new ConcurrentHashMap<>();

  public CodeVault(KeyRing keys) {
    this.keys = keys;
  }

  /// A code as the database keeps it.
  @SuppressWarnings("ArrayRecordComponent") // Equal only if they are the same object.
  public record Sealed(String keyId, byte[] hash, byte[] box, String last4) {}

  /// Seals a code under the current key. Two calls give different boxes and the same hash.
  public Sealed seal(String code) {
    String keyId = keys.current();
    byte[] hash = hash(keyId, code);
    byte[] nonce = new byte[NONCE];
    RANDOM.nextBytes(nonce);
    byte[] box = Arrays.copyOf(nonce, NONCE + code.length() * 4 + TAG_BITS / 8);
    try {
      byte[] clear = code.getBytes(StandardCharsets.UTF_8);
      Cipher cipher = cipher(Cipher.ENCRYPT_MODE, keyId, nonce, hash);
      int length = cipher.doFinal(clear, 0, clear.length, box, NONCE);
      return new Sealed(keyId, hash, Arrays.copyOf(box, NONCE + length), last4(code));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-GCM is missing from this Java", e);
    }
  }

  /// The code in a box. Throws IllegalStateException when its key is gone or when box and hash do
  /// not belong together: the database was changed by other hands.
  public String open(String keyId, byte[] hash, byte[] box) {
    if (!keys.knows(keyId)) {
      throw new IllegalStateException("the key " + keyId + " of a code is not in master_secret");
    }
    try {
      Cipher cipher =
          cipher(Cipher.DECRYPT_MODE, keyId, Arrays.copyOf(box, Math.min(NONCE, box.length)), hash);
      byte[] clear = cipher.doFinal(box, NONCE, box.length - NONCE);
      return new String(clear, StandardCharsets.UTF_8);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalStateException("a code's box does not open", e);
    }
  }

  /// The hashes under which a code may be kept: one per key of the server, the current one first.
  public List<byte[]> hashes(String code) {
    return keys.ids().stream().map(id -> hash(id, code)).toList();
  }

  public String currentKey() {
    return keys.current();
  }

  List<String> keys() {
    return keys.ids();
  }

  /// The ids of the server's other keys.
  List<String> oldKeys() {
    return keys.ids().stream().filter(id -> !id.equals(keys.current())).toList();
  }

  /// The part of a code that may be displayed: its last four characters, or fewer for a short code.
  public static String last4(String code) {
    String normal = TypedCode.plain(code);
    int shown = Math.min(SHOWN, normal.length() / 2);
    return normal.substring(normal.length() - shown);
  }

  private byte[] hash(String keyId, String code) {
    return keys.sign(keyId, HASH, TypedCode.plain(code));
  }

  private SecretKeySpec boxKey(String keyId) {
    return boxKeys.computeIfAbsent(keyId, id -> new SecretKeySpec(keys.sign(id, BOX, ""), "AES"));
  }

  private Cipher cipher(int mode, String keyId, byte[] nonce, byte[] hash)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, boxKey(keyId), new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(hash);
    return cipher;
  }
}
