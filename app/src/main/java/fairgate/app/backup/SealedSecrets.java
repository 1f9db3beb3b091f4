package fairgate.app.backup;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/// Secrets encrypted with a passphrase: AES-256-GCM under a key from PBKDF2-HMAC-SHA256.
///
/// @param data the ciphertext of a JSON object
record SealedSecrets(int iterations, String salt, String nonce, String data) {
  /// OWASP's recommendation for PBKDF2-HMAC-SHA256.
  private static final int ITERATIONS = 600_000;

  private static final int MAX_ITERATIONS = 10_000_000;
  private static final int KEY_BITS = 256;
  private static final int TAG_BITS = 128;
  private static final ObjectMapper JSON = new ObjectMapper();

  static SealedSecrets seal(Map<String, String> secrets, String passphrase) {
    SecureRandom random = new SecureRandom();
    byte[] salt = new byte[16];
    byte[] nonce = new byte[12];
    random.nextBytes(salt);
    random.nextBytes(nonce);
    try {
      byte[] plain = JSON.writeValueAsBytes(new TreeMap<>(secrets));
      byte[] data = cipher(Cipher.ENCRYPT_MODE, passphrase, ITERATIONS, salt, nonce).doFinal(plain);
      return new SealedSecrets(ITERATIONS, text(salt), text(nonce), text(data));
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Decrypts the secrets; empty when the passphrase is wrong or the data was changed.
  Optional<Map<String, String>> open(String passphrase) throws IOException {
    if (iterations < 1 || iterations > MAX_ITERATIONS) {
      return Optional.empty();
    }
    try {
      byte[] plain =
          cipher(Cipher.DECRYPT_MODE, passphrase, iterations, bytes(salt), bytes(nonce))
              .doFinal(bytes(data));
      Map<String, String> secrets = new TreeMap<>();
      JSON.readTree(plain)
          .properties()
          .forEach(e -> secrets.put(e.getKey(), e.getValue().asText()));
      return Optional.of(secrets);
    } catch (AEADBadTagException | IllegalArgumentException _) {
      return Optional.empty();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Cipher cipher(
      int mode, String passphrase, int iterations, byte[] salt, byte[] nonce)
      throws GeneralSecurityException {
    PBEKeySpec spec = new PBEKeySpec(passphrase.toCharArray(), salt, iterations, KEY_BITS);
    byte[] key =
        SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(TAG_BITS, nonce));
    return cipher;
  }

  private static String text(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static byte[] bytes(String text) {
    return Base64.getDecoder().decode(text);
  }
}
