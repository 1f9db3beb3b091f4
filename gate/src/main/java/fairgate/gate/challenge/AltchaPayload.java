package fairgate.gate.challenge;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.json.JsonText;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/// The browser's response: the unchanged challenge and its solution. Base64 of `{"challenge":
/// {"parameters", "signature"}, "solution": {"counter", "derivedKey", "time"?}}`.
///
/// @param signature 32 bytes as lower-case hex, not verified yet
/// @param counter may be out of range
/// @param derivedKey unverified text
record AltchaPayload(Parameters parameters, String signature, long counter, String derivedKey) {
  /// The maximum token length in characters; a valid one has about 600.
  static final int LONGEST = 4096;

  private static final int SIGNATURE_LENGTH = 64;

  /// The first characters of every such token: base64 of `{"`.
  private static final String BEGINNING = "eyJ";

  /// Whether every character is `0`-`9` or `a`-`f`.
  static boolean isLowerHex(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }

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
        && isLowerHex(signature)
        && json.get("solution") instanceof JsonObject solution
        && solution.get("counter") instanceof Long counter
        && solution.get("derivedKey") instanceof String derivedKey) {
      return Parameters.read(parameters)
          .map(known -> new AltchaPayload(known, signature, counter, derivedKey));
    }
    return Optional.empty();
  }

  /// The signed part of an ALTCHA v2 challenge. The server accepts exactly the fields that this
  /// class writes.
  ///
  /// @param nonce 16 bytes as lower-case hex; identifies the challenge
  /// @param salt 16 bytes as lower-case hex
  /// @param expiresAt seconds since the epoch
  /// @param keyId the server key of the signature
  /// @param network keyed hash of the caller's network
  /// @param device keyed hash of the browser
  /// @param fresh whether the browser got its cookie with this challenge; then a request without a
  ///   cookie may use it as well
  /// @param issuedAt time of issue, ms
  record Parameters(
      ProofAlgorithm algorithm,
      int cost,
      String keyPrefix,
      String nonce,
      String salt,
      long expiresAt,
      String keyId,
      String action,
      String product,
      String network,
      String device,
      boolean fresh,
      long issuedAt) {
    private static final int FIELDS = 8;
    private static final int DATA_FIELDS = 7;
    private static final int BYTES = 16;

    /// Parses the object from the browser; empty when it has other fields, types or lengths.
    static Optional<Parameters> read(JsonObject json) {
      if (json.size() == FIELDS
          && json.get("algorithm") instanceof String name
          && json.get("cost") instanceof Long cost
          && cost >= 1
          && cost <= Integer.MAX_VALUE
          && json.get("keyLength") instanceof Long keyLength
          && keyLength == ProofAlgorithm.KEY_LENGTH
          && json.get("keyPrefix") instanceof String keyPrefix
          && json.get("nonce") instanceof String nonce
          && isHex(nonce)
          && json.get("salt") instanceof String salt
          && isHex(salt)
          && json.get("expiresAt") instanceof Long expiresAt
          && json.get("data") instanceof JsonObject data
          && data.get("kid") instanceof String keyId
          && data.get("action") instanceof String action
          && data.get("product") instanceof String product
          && data.get("network") instanceof String network
          && data.get("device") instanceof String device
          && data.get("fresh") instanceof Boolean fresh
          && data.get("issued") instanceof Long issuedAt
          && data.size() == DATA_FIELDS) {
        return ProofAlgorithm.named(name)
            .map(
                algorithm ->
                    new Parameters(
                        algorithm,
                        Math.toIntExact(cost),
                        keyPrefix,
                        nonce,
                        salt,
                        expiresAt,
                        keyId,
                        action,
                        product,
                        network,
                        device,
                        fresh,
                        issuedAt));
      }
      return Optional.empty();
    }

    /// The canonical JSON for the signature: fields in alphabetical order, no spaces, absent fields
    /// omitted.
    String canonical() {
      JsonText data =
          JsonText.object()
              .put("action", action)
              .put("device", device)
              .put("fresh", fresh)
              .put("issued", issuedAt)
              .put("kid", keyId)
              .put("network", network)
              .put("product", product);
      return JsonText.object()
          .put("algorithm", algorithm.wireName())
          .put("cost", cost)
          .put("data", data)
          .put("expiresAt", expiresAt)
          .put("keyLength", ProofAlgorithm.KEY_LENGTH)
          .put("keyPrefix", keyPrefix)
          .put("nonce", nonce)
          .put("salt", salt)
          .toString();
    }

    byte[] derive(long counter) {
      HexFormat hex = HexFormat.of();
      return algorithm.tryCounter(hex.parseHex(salt), hex.parseHex(nonce), counter, cost);
    }

    private static boolean isHex(String text) {
      return text.length() == 2 * BYTES && isLowerHex(text);
    }
  }
}
