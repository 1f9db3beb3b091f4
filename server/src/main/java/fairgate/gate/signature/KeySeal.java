package fairgate.gate.signature;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Keeps secrets unreadable in the database: AES-256-GCM under a key derived from the server's
/// master, bound to the id it belongs to, so that nobody who can write the table can move one
/// secret to another's name.
final class KeySeal {
  private static final String PURPOSE = "api-key-seal";
  private static final int IV = 12;
  private static final int TAG_BITS = 128;

  private final KeyRing keys;
  private final Ids ids;

  KeySeal(KeyRing keys, Ids ids) {
    this.keys = keys;
    this.ids = ids;
  }

  /// A sealed secret.
  ///
  /// @param under the id of the master key, which must stay until the secret is sealed anew
  /// @param box base64
  record Sealed(String under, String box) {}

  Sealed seal(String id, byte[] secret) {
    byte[] iv = Arrays.copyOf(Base64.getUrlDecoder().decode(ids.nonce()), IV);
    try {
      byte[] box = cipher(Cipher.ENCRYPT_MODE, keys.current(), iv, id).doFinal(secret);
      byte[] bytes = Arrays.copyOf(iv, IV + box.length);
      System.arraycopy(box, 0, bytes, IV, box.length);
      return new Sealed(keys.current(), Base64.getEncoder().encodeToString(bytes));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-GCM is missing from this Java", e);
    }
  }

  /// The secret; empty where its master key is gone or somebody changed it.
  Optional<byte[]> open(String id, Sealed sealed) {
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
        new SecretKeySpec(keys.sign(keyId, PURPOSE, "aes-256"), "AES"),
        new GCMParameterSpec(TAG_BITS, iv));
    cipher.updateAAD(id.getBytes(StandardCharsets.UTF_8));
    return cipher;
  }
}
