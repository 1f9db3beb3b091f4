package fairgate.crowd;

import com.fasterxml.jackson.databind.JsonNode;

/// What the server answered to one call.
///
/// @param status the HTTP status; 0 when the connection failed, so that the outcome is unknown
public record Answer(int status, JsonNode body) {
  /// Whether the call was granted.
  public boolean ok() {
    return status == 200;
  }

  /// Whether nobody knows what the server did.
  public boolean unknown() {
    return status == 0;
  }

  /// The error code of a refusal; empty when granted or unknown.
  public String error() {
    return body.path("error").asText("");
  }

  /// A text member of the body; empty when absent.
  public String text(String name) {
    return body.path(name).asText("");
  }

  /// A whole-number member of the body; 0 when absent.
  public long number(String name) {
    return body.path(name).asLong(0);
  }
}
