package fairgate.gate.challenge;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Siteverify's verdict on a token.
///
/// @param cdata session data of the widget; Turnstile only
/// @param namesTime whether the reply has a time of the challenge at all
/// @param challengeTime time at which the challenge was solved; null when absent or malformed
/// @param errors the `error-codes`
record SiteverifyReply(
    boolean success,
    String hostname,
    String action,
    String cdata,
    boolean namesTime,
    @Nullable Instant challengeTime,
    List<String> errors) {
  static final String INTERNAL_ERROR = "internal-error";

  /// Parses a reply; empty when the body is not one.
  static Optional<SiteverifyReply> read(byte[] body) {
    JsonObject json;
    try {
      json = Json.parseObject(body);
    } catch (JsonSyntaxException e) {
      return Optional.empty();
    }
    if (!(json.get("success") instanceof Boolean success)) {
      return Optional.empty();
    }
    List<String> errors =
        json.get("error-codes") instanceof List<?> codes
            ? codes.stream().filter(Objects::nonNull).map(Object::toString).toList()
            : List.of();
    return Optional.of(
        new SiteverifyReply(
            success,
            text(json.get("hostname")),
            text(json.get("action")),
            text(json.get("cdata")),
            !text(json.get("challenge_ts")).isEmpty(),
            instant(text(json.get("challenge_ts"))),
            errors));
  }

  /// A refusal with an error code only.
  static SiteverifyReply refused(String code) {
    return new SiteverifyReply(false, "", "", "", false, null, List.of(code));
  }

  private static String text(@Nullable Object value) {
    return value instanceof String text ? text : "";
  }

  private static @Nullable Instant instant(String text) {
    try {
      return text.isEmpty() ? null : Instant.parse(text);
    } catch (DateTimeException e) {
      return null;
    }
  }
}
