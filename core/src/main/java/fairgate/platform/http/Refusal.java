package fairgate.platform.http;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.kernel.ErrorCode;
import fairgate.platform.json.JsonText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The reason for refusing a request, before it is rendered in the caller's language and media
/// type.
///
/// @param retryAfter when to try again; sent as `Retry-After` and `retry_after` in whole seconds,
///   rounded up
/// @param details further JSON members; values are strings, numbers, booleans, or lists and maps of
///   these
public record Refusal(ErrorCode code, @Nullable Duration retryAfter, Map<String, Object> details) {
  private static final byte[] NONE = {};

  public Refusal {
    details = details.isEmpty() ? Map.of() : java.util.Collections.unmodifiableMap(details);
  }

  public static Refusal of(ErrorCode code) {
    return new Refusal(code, null, Map.of());
  }

  /// A copy with a time for `Retry-After`.
  public Refusal retryAfter(Duration wait) {
    return new Refusal(code, wait, details);
  }

  /// A copy with one more JSON member.
  public Refusal with(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(details);
    more.put(name, value);
    return new Refusal(code, retryAfter, more);
  }

  /// The time to wait in whole seconds, rounded up, at least 1; 0 when the refusal has none.
  long retryAfterSeconds() {
    return retryAfter == null ? 0 : Math.max(1, (retryAfter.toMillis() + 999) / 1000);
  }

  /// The refusal's additional members of the error body, as JSON; may be empty.
  byte[] members() {
    if (retryAfter == null && details.isEmpty()) {
      return NONE;
    }
    return addTo(JsonText.object()).inside();
  }

  /// Adds the refusal's additional members of the error body.
  @CanIgnoreReturnValue
  JsonText addTo(JsonText json) {
    long seconds = retryAfterSeconds();
    if (seconds > 0) {
      json.put("retry_after", seconds);
    }
    details.forEach(json::putAny);
    return json;
  }
}
