package fairgate.crowd;

import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.RequestOptions;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;

/// The cookies of one browser. Safe for threads.
public final class Cookies {
  private final Map<String, String> all = new ConcurrentSkipListMap<>();

  /// Keeps what a reply sets.
  ///
  /// @param prefix of the names of the cookies that it keeps
  public void keep(HttpClientResponse response, String prefix) {
    for (String cookie : response.cookies()) {
      int equals = cookie.indexOf('=');
      int end = cookie.indexOf(';');
      if (equals > 0 && cookie.startsWith(prefix)) {
        all.put(
            cookie.substring(0, equals),
            cookie.substring(equals + 1, end < 0 ? cookie.length() : end));
      }
    }
  }

  public void keep(Cookies others) {
    all.putAll(others.all);
  }

  public void send(RequestOptions request) {
    if (!all.isEmpty()) {
      request.putHeader(
          "Cookie",
          all.entrySet().stream()
              .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
              .collect(Collectors.joining("; ")));
    }
  }
}
