package fairgate.crowd;

import com.fasterxml.jackson.databind.JsonNode;

/// The server's reply to one call.
///
/// @param status the HTTP status; 0 if the connection failed
public record Answer(int status, JsonNode body) {
  private static final int BAD_GATEWAY = 502;
  private static final int GATEWAY_TIMEOUT = 504;

  /// Whether the call was granted.
  public boolean ok() {
    return status == 200;
  }

  /// Whether the effect of the call is unknown: there was no reply, or a proxy reports that it got
  /// none.
  public boolean unknown() {
    return status == 0 || status == BAD_GATEWAY || status == GATEWAY_TIMEOUT;
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
