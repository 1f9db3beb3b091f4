package fairgate.bench.challenge;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Locale;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.generators.SCrypt;
import org.bouncycastle.crypto.params.Argon2Parameters;

/// One setting of an ALTCHA v2 proof of work.
///
/// @param cost hashes, passes (Argon2id) or N (scrypt) per attempt
/// @param memory KiB (Argon2id) or r (scrypt); 0 for SHA-256
record Puzzle(Algorithm algorithm, int cost, int memory) {
  private static final byte[] NONCE = bytes("nonce of a bench");
  private static final byte[] SALT = bytes("salt of a bench.");
  private static final int KEY_LENGTH = 32;

  enum Algorithm {
    SHA_256("SHA-256"),
    ARGON2ID("ARGON2ID"),
    SCRYPT("SCRYPT");

    private final String wireName;

    Algorithm(String wireName) {
      this.wireName = wireName;
    }
  }

  String title() {
    return switch (algorithm) {
      case SHA_256 -> "SHA-256, %d hashes".formatted(cost);
      case ARGON2ID -> "Argon2id, %d KiB, %d pass".formatted(memory, cost);
      case SCRYPT -> "scrypt, N = %d, r = %d (%d KiB)".formatted(cost, memory, cost * memory / 8);
    };
  }

  /// The file with the widget's solver, or with ours for SHA-256.
  String worker() {
    return switch (algorithm) {
      case SHA_256 -> "altcha-worker.js";
      case ARGON2ID -> "argon2id.js";
      case SCRYPT -> "scrypt.js";
    };
  }

  /// The key of one counter, as the server derives it.
  byte[] key(int counter) {
    byte[] password = ByteBuffer.allocate(NONCE.length + 4).put(NONCE).putInt(counter).array();
    return switch (algorithm) {
      case SHA_256 -> sha256(password);
      case ARGON2ID -> argon2id(password);
      case SCRYPT -> SCrypt.generate(password, SALT, cost, memory, 1, KEY_LENGTH);
    };
  }

  /// A challenge whose solution is exactly this counter.
  String challenge(int counter) {
    HexFormat hex = HexFormat.of();
    String prefix = hex.formatHex(key(counter), 0, 12);
    return String.format(
        Locale.ROOT,
        "{\"parameters\":{\"algorithm\":\"%s\",\"cost\":%d,\"memoryCost\":%d,\"parallelism\":1,"
            + "\"keyLength\":32,\"keyPrefix\":\"%s\",\"nonce\":\"%s\",\"salt\":\"%s\"}}",
        algorithm.wireName,
        cost,
        Math.max(1, memory),
        prefix,
        hex.formatHex(NONCE),
        hex.formatHex(SALT));
  }

  private byte[] sha256(byte[] password) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(SALT);
      byte[] key = sha.digest(password);
      for (int i = 1; i < cost; i++) {
        sha.update(key);
        var _ = sha.digest(key, 0, key.length);
      }
      return key;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private byte[] argon2id(byte[] password) {
    Argon2BytesGenerator generator = new Argon2BytesGenerator();
    generator.init(
        new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
            .withVersion(Argon2Parameters.ARGON2_VERSION_13)
            .withIterations(cost)
            .withMemoryAsKB(memory)
            .withParallelism(1)
            .withSalt(SALT)
            .build());
    byte[] key = new byte[KEY_LENGTH];
    var _ = generator.generateBytes(password, key);
    return key;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
