package fairgate.gate.challenge;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The supported key derivations of ALTCHA v2, each with 32 bytes of output.
public enum ProofAlgorithm {
  /// SHA-256 of salt and password, repeated `cost` times.
  SHA_256("SHA-256") {
    @Override
    byte[] derive(byte[] salt, byte[] password, int cost) throws GeneralSecurityException {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(salt);
      byte[] key = sha.digest(password);
      for (int i = 1; i < cost; i++) {
        sha.update(key);
        var _ = sha.digest(key, 0, key.length);
      }
      return key;
    }
  },
  /// PBKDF2 (RFC 8018) with HMAC-SHA-256 and `cost` iterations. The JDK's implementation takes
  /// passwords of characters only, and these are bytes.
  PBKDF2_SHA_256("PBKDF2/SHA-256") {
    @Override
    byte[] derive(byte[] salt, byte[] password, int cost) throws GeneralSecurityException {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(password, "HmacSHA256"));
      mac.update(salt);
      byte[] round = mac.doFinal(new byte[] {0, 0, 0, 1});
      byte[] key = round.clone();
      for (int i = 1; i < cost; i++) {
        mac.update(round);
        mac.doFinal(round, 0);
        for (int at = 0; at < key.length; at++) {
          key[at] ^= round[at];
        }
      }
      return key;
    }
  };

  public static final int KEY_LENGTH = 32;

  private final String wireName;

  ProofAlgorithm(String wireName) {
    this.wireName = wireName;
  }

  /// The name in a challenge and in the configuration.
  public String wireName() {
    return wireName;
  }

  public static Optional<ProofAlgorithm> named(String wireName) {
    return Arrays.stream(values()).filter(it -> it.wireName.equals(wireName)).findFirst();
  }

  abstract byte[] derive(byte[] salt, byte[] password, int cost) throws GeneralSecurityException;

  /// The key for one counter: the password is the nonce followed by the counter as 32 bits, big
  /// endian.
  byte[] tryCounter(byte[] salt, byte[] nonce, long counter, int cost) {
    byte[] password =
        ByteBuffer.allocate(nonce.length + 4).put(nonce).putInt((int) counter).array();
    try {
      return derive(salt, password, cost);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JVM has no " + wireName, e);
    }
  }
}
