package fairgate.crowd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;

/// Solves the proof of work of ALTCHA v2 with SHA-256, as a browser does.
public final class AltchaSolver {
  private static final long LAST_COUNTER = 0xffff_ffffL;

  private AltchaSolver() {}

  /// The token that proves the work; empty when no counter solves the challenge. Takes a second or
  /// so of one processor at the default cost.
  ///
  /// @param challenge the answer of `GET /api/challenge`
  public static String solve(JsonNode challenge) {
    JsonNode parameters = challenge.path("parameters");
    String prefix = parameters.path("keyPrefix").asText();
    String fixed = parameters.path("salt").asText() + parameters.path("nonce").asText();
    int cost = parameters.path("cost").asInt(1);
    for (long counter = 0; counter <= LAST_COUNTER; counter++) {
      byte[] key = HexFormat.of().parseHex(fixed + "%08x".formatted(counter));
      for (int i = 0; i < cost; i++) {
        key = sha256(key);
      }
      String derived = HexFormat.of().formatHex(key);
      if (derived.startsWith(prefix)) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        var payload = json.objectNode();
        payload.set("challenge", challenge);
        payload.set(
            "solution", json.objectNode().put("counter", counter).put("derivedKey", derived));
        return Base64.getEncoder()
            .encodeToString(payload.toString().getBytes(StandardCharsets.UTF_8));
      }
    }
    return "";
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
