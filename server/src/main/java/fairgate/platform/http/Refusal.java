package fairgate.platform.http;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ServiceUnavailable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Why a request was not granted, before it is put into the caller's language and media type.
///
/// @param retryAfter when to come back; sent as `Retry-After` and `retry_after`, in whole seconds,
///   rounded up
/// @param details further JSON members; values are strings, numbers, booleans, lists and maps of
///   them
public record Refusal(ErrorCode code, @Nullable Duration retryAfter, Map<String, Object> details) {
  private static final Logger LOG = LoggerFactory.getLogger(Refusal.class);

  public Refusal {
    details = details.isEmpty() ? Map.of() : java.util.Collections.unmodifiableMap(details);
  }

  public static Refusal of(ErrorCode code) {
    return new Refusal(code, null, Map.of());
  }

  /// The same refusal with a time to come back.
  public Refusal retryAfter(Duration wait) {
    return new Refusal(code, wait, details);
  }

  /// The same refusal with one more JSON member.
  public Refusal with(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(details);
    more.put(name, value);
    return new Refusal(code, retryAfter, more);
  }

  /// Seconds to wait, rounded up; at least 1.
  long retryAfterSeconds() {
    return retryAfter == null ? 0 : Math.max(1, (retryAfter.toMillis() + 999) / 1000);
  }

  /// The failure inside those that only carry others.
  static Throwable cause(Throwable failure) {
    Throwable inner = failure.getCause();
    boolean carrier =
        failure instanceof CompletionException || failure instanceof ExecutionException;
    return carrier && inner != null ? cause(inner) : failure;
  }

  /// What an exception out of a handler means to the caller; the log gets the rest.
  static Refusal refusal(Throwable failure, Request request) {
    if (failure instanceof ServiceUnavailable away) {
      LOG.debug("{} {}: {}", request.method(), request.path(), away.getMessage(), away);
      return Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(away.retryAfter());
    }
    LOG.error(
        "{} {} failed, request {}", request.method(), request.path(), request.requestId(), failure);
    return Refusal.of(ErrorCode.SERVER_ERROR);
  }
}
