package fairgate.queue;

import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.Optional;

/// Who makes a request, where people have accounts.
@FunctionalInterface
public interface Accounts {
  /// The id of the signed-in account; empty for a guest. Called on the event loop, and must not
  /// block. Fails when nobody can tell: a buyer who believes to be signed in must not be given a
  /// guest's place.
  Future<Optional<String>> of(Request request);
}
