package fairgate.link.cache;

import fairgate.platform.http.Reply;
import io.vertx.core.Future;
import java.time.Duration;

/// What is known of a code. Three values: "there is none" and "nobody can tell now" are not the
/// same.
public sealed interface Lookup {
  /// There is such a link.
  ///
  /// @param redirect the answer to whoever may follow it
  record Hit(LinkEntry entry, Future<Reply> redirect) implements Lookup {}

  /// There is none, as of a moment ago.
  record Absent() implements Lookup {}

  /// Neither memory nor Redis knows, and the database cannot be asked.
  record Unknown(Duration retryAfter) implements Lookup {}
}
