package fairgate.gate.challenge;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;

/// An independent implementation of the protocol for tests. Solves challenges with SHA-256.
public final class Solver {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Solver() {}

  /// Solves a challenge; returns the token.
  public static String solve(String challenge) {
    ObjectNode json = parse(challenge);
    return token(json, search(json.get("parameters")));
  }

  /// The challenge and a solution as a browser sends them.
  public static String token(ObjectNode challenge, ObjectNode solution) {
    ObjectNode payload = MAPPER.createObjectNode();
    payload.set("challenge", challenge);
    payload.set("solution", solution);
    return encode(payload.toString());
  }

  public static ObjectNode search(JsonNode parameters) {
    for (long counter = 0; ; counter++) {
      String key = key(parameters, counter);
      if (key.startsWith(parameters.get("keyPrefix").asText())) {
        return solution(counter, key);
      }
    }
  }

  public static ObjectNode solution(long counter, String key) {
    return MAPPER.createObjectNode().put("counter", counter).put("derivedKey", key);
  }

  public static String key(JsonNode parameters, long counter) {
    String message =
        parameters.get("salt").asText()
            + parameters.get("nonce").asText()
            + "%08x".formatted(counter);
    byte[] bytes = HexFormat.of().parseHex(message);
    for (int i = 0; i < parameters.get("cost").asInt(); i++) {
      bytes = sha256(bytes);
    }
    return HexFormat.of().formatHex(bytes);
  }

  public static ObjectNode parse(String json) {
    try {
      return (ObjectNode) MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /// The payload inside a token.
  public static ObjectNode open(String token) {
    return parse(new String(Base64.getDecoder().decode(token), StandardCharsets.UTF_8));
  }

  public static String encode(String payload) {
    return Base64.getEncoder().encodeToString(payload.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }
}
