package fairgate.queue;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Notifies watchers when a request has created or found the caller's place.
public final class JoinWatch {
  private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

  /// Called for each place. Must not block, and handles its own failures: the place is already
  /// taken.
  @FunctionalInterface
  public interface Watcher {
    /// Completes when the watcher has stored its data about this place, so that others can read it.
    ///
    /// @param life time until the session ends unless it makes another request
    Future<Void> joined(Request request, ProductId product, SessionId session, Duration life);
  }

  /// Adds a watcher.
  public void add(Watcher watcher) {
    watchers.add(watcher);
  }

  /// Notifies all watchers. The caller replies to its client afterwards, so the watchers' data
  /// exist once the client knows of the place.
  public Future<Void> tell(Request request, ProductId product, SessionId session, Duration life) {
    Future<Void> notified = Future.succeededFuture();
    for (Watcher watcher : watchers) {
      Future<Void> one = watcher.joined(request, product, session, life);
      notified = notified.compose(_ -> one);
    }
    return notified;
  }
}
