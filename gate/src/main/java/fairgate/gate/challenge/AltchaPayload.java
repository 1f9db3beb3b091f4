package fairgate.gate.challenge;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import java.util.Base64;
import java.util.Optional;

/// The browser's response: the unchanged challenge and its solution. Base64 of `{"challenge":
/// {"parameters", "signature"}, "solution": {"counter", "derivedKey", "time"?}}`.
///
/// @param signature 32 bytes as lower-case hex, not verified yet
/// @param counter may be out of range
/// @param derivedKey unverified text
record AltchaPayload(
    AltchaParameters parameters, String signature, long counter, String derivedKey) {
  /// The maximum token length in characters; a valid one has about 600.
  static final int LONGEST = 4096;

  private static final int SIGNATURE_LENGTH = 64;

  /// The first characters of every such token: base64 of `{"`.
  private static final String BEGINNING = "eyJ";

  /// Whether the token has the form of this protocol; tokens of other providers never start so.
  static boolean looksLikeOne(String token) {
    return token.startsWith(BEGINNING);
  }

  /// Decodes a token; empty when it is too long, not strict base64, or not this JSON.
  static Optional<AltchaPayload> read(String token) {
    if (token.isEmpty() || token.length() > LONGEST || token.length() % 4 != 0) {
      return Optional.empty();
    }
    try {
      return read(Json.parseObject(Base64.getDecoder().decode(token)));
    } catch (IllegalArgumentException | JsonSyntaxException e) {
      return Optional.empty();
    }
  }

  private static Optional<AltchaPayload> read(JsonObject json) {
    if (json.get("challenge") instanceof JsonObject challenge
        && challenge.get("parameters") instanceof JsonObject parameters
        && challenge.get("signature") instanceof String signature
        && signature.length() == SIGNATURE_LENGTH
        && Hex.isLower(signature)
        && json.get("solution") instanceof JsonObject solution
        && solution.get("counter") instanceof Long counter
        && solution.get("derivedKey") instanceof String derivedKey) {
      return AltchaParameters.read(parameters)
          .map(known -> new AltchaPayload(known, signature, counter, derivedKey));
    }
    return Optional.empty();
  }
}
