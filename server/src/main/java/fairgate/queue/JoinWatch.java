package fairgate.queue;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Request;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Who is told when a request has given its sender a place, or found the one he has.
public final class JoinWatch {
  private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

  /// Is told of places; must not block.
  @FunctionalInterface
  public interface Watcher {
    void joined(Request request, ProductId product, SessionId session);
  }

  /// Adds a watcher.
  public void add(Watcher watcher) {
    watchers.add(watcher);
  }

  /// Tells all of them.
  public void tell(Request request, ProductId product, SessionId session) {
    for (Watcher watcher : watchers) {
      watcher.joined(request, product, session);
    }
  }
}
