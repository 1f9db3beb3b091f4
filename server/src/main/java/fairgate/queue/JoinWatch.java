package fairgate.queue;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Who is told when a request has given its sender a place, or found the one he has.
public final class JoinWatch {
  private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

  /// Is told of places; must not block, and deals with its own failures: the place is taken
  /// already.
  @FunctionalInterface
  public interface Watcher {
    /// Done when what the watcher keeps of this place can be read by others.
    Future<Void> joined(Request request, ProductId product, SessionId session);
  }

  /// Adds a watcher.
  public void add(Watcher watcher) {
    watchers.add(watcher);
  }

  /// Tells all of them. The caller answers its client afterwards, so that what follows from a place
  /// is there once somebody has been told of it.
  public Future<Void> tell(Request request, ProductId product, SessionId session) {
    Future<Void> told = Future.succeededFuture();
    for (Watcher watcher : watchers) {
      Future<Void> one = watcher.joined(request, product, session);
      told = told.compose(_ -> one);
    }
    return told;
  }
}
