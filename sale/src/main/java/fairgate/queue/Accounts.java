package fairgate.queue;

import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.Optional;

/// Finds the signed-in account of a request.
@FunctionalInterface
public interface Accounts {
  /// The id of the signed-in account; empty for a guest. Called on the event loop and must not
  /// block. Fails when the account cannot be determined: a signed-in buyer must not get a guest's
  /// place.
  Future<Optional<String>> of(Request request);
}
