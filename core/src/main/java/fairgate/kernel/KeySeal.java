package fairgate.kernel;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Encrypts secrets for the database: AES-256-GCM with a key derived from the server's master key.
/// The ciphertext is bound to the secret's id, so nobody with write access to the table can move a
/// secret to another id.
public final class KeySeal {
  private static final int IV = 12;
  private static final int TAG_BITS = 128;

  private final KeyRing keys;
  private final Ids ids;
  private final String purpose;

  /// @param purpose of the encryption key; what one purpose encrypted, no other decrypts
  public KeySeal(KeyRing keys, Ids ids, String purpose) {
    this.keys = keys;
    this.ids = ids;
    this.purpose = purpose;
  }

  /// An encrypted secret.
  ///
  /// @param under id of the master key, which must be kept until the secret is encrypted anew
  /// @param box ciphertext, base64
  public record Sealed(String under, String box) {}

  public Sealed seal(String id, byte[] secret) {
    byte[] iv = Arrays.copyOf(Base64.getUrlDecoder().decode(ids.nonce()), IV);
    try {
      byte[] box = cipher(Cipher.ENCRYPT_MODE, keys.current(), iv, id).doFinal(secret);
      byte[] bytes = Arrays.copyOf(iv, IV + box.length);
      System.arraycopy(box, 0, bytes, IV, box.length);
      return new Sealed(keys.current(), Base64.getEncoder().encodeToString(bytes));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JVM has no AES-GCM", e);
    }
  }

  /// The secret; empty when its master key is missing or the ciphertext was altered.
  public Optional<byte[]> open(String id, Sealed sealed) {
    if (!keys.knows(sealed.under())) {
      return Optional.empty();
    }
    try {
      byte[] box = Base64.getDecoder().decode(sealed.box());
      byte[] iv = Arrays.copyOf(box, IV);
      return Optional.of(
          cipher(Cipher.DECRYPT_MODE, sealed.under(), iv, id)
              .doFinal(Arrays.copyOfRange(box, Math.min(IV, box.length), box.length)));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Cipher cipher(int mode, String keyId, byte[] iv, String id)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(
        mode,
        new SecretKeySpec(keys.sign(keyId, purpose, "aes-256"), "AES"),
        new GCMParameterSpec(TAG_BITS, iv));
    cipher.updateAAD(id.getBytes(StandardCharsets.UTF_8));
    return cipher;
  }
}
