package fairgate.queue;

import fairgate.platform.http.Guard;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import org.jspecify.annotations.Nullable;

/// Tells the queue of each browser that sends our signed cookie, so that it was here before. Health
/// checks and probes of operators do not have it.
public final class ReachGuard extends Guard.Chained {
  private final Runnable reached;

  private ReachGuard(Guard.RouteGuard next, Runnable reached) {
    super(next);
    this.reached = reached;
  }

  /// The same guard, which tells of browsers first.
  public static Guard before(Guard chain, Runnable reached) {
    return (action, limits) -> {
      Guard.RouteGuard next = chain.routeGuard(action, limits);
      return next == null ? null : new ReachGuard(next, reached);
    };
  }

  @Override
  public @Nullable Reply enter(Request request) {
    if (request.returning() != null) {
      reached.run();
    }
    return super.enter(request);
  }
}
