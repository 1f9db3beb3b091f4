package fairgate.platform.http;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.stream.LateFlush;
import fairgate.platform.http.stream.Link;
import fairgate.platform.http.stream.ReplyBuffers;
import io.vertx.core.Context;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One event loop's share of the server: its connections, the exchanges that wait, its event
/// streams, and the one timer that keeps all their deadlines. Touched by its own thread only.
final class EventLoop {
  private final Kit kit;
  private final Router router;
  private final LateFlush flush = new LateFlush();
  private final Context context;
  private final Link.Patience patience;
  private final Thread thread = Thread.currentThread();
  private final Map<HttpConnection, Link> links = new HashMap<>();
  private final Set<SseStream> streams = new LinkedHashSet<>();
  private @Nullable Exchange first;
  private boolean draining;

  /// To be called on the loop's own thread.
  EventLoop(Kit kit, Router router, Context context) {
    this.kit = kit;
    this.router = router;
    this.context = context;
    this.patience = new Link.Patience(kit.config().idleTimeout(), kit.config().receiveTimeout());
  }

  void connected(HttpConnection connection) {
    if (!kit.forwarding().admits(connection)) {
      kit.metrics().strangers.increment();
      connection.close();
      return;
    }
    int most = kit.config().maxConnections();
    kit.metrics().connections.increment();
    if (draining || (most > 0 && kit.metrics().connections.sum() > most)) {
      kit.metrics().connections.decrement();
      kit.metrics().turnedAway.increment();
      connection.close();
      return;
    }
    ReplyBuffers.give(connection);
    flush.join(connection);
    Link link = new Link(connection, patience, System.nanoTime());
    link.watch();
    links.put(connection, link);
    connection.closeHandler(
        _ -> {
          kit.metrics().connections.decrement();
          links.remove(connection);
        });
  }

  void handle(HttpServerRequest raw) {
    long now = System.nanoTime();
    Link link = link(raw, now);
    HttpMethod verb = raw.method();
    Method method = methodOf(verb);
    Router.Match match;
    try {
      match = router.find(method, raw.uri());
    } catch (InvalidRequest problem) {
      exchange(raw, link, Router.Target.NONE, now).fail(problem);
      return;
    }
    Exchange exchange = exchange(raw, link, match.target(), now);
    Endpoints endpoints = match.endpoints();
    if (endpoints == null) {
      exchange.refuse(Refusal.of(ErrorCode.NOT_FOUND));
      return;
    }
    Endpoints.Endpoint endpoint = method == null ? null : endpoints.find(method);
    if (endpoint != null) {
      exchange.begin(endpoint);
    } else if (verb.equals(HttpMethod.OPTIONS)) {
      exchange.finish(Reply.noContent().header("allow", endpoints.allow()));
    } else {
      exchange.finish(
          Reply.refuse(Refusal.of(ErrorCode.METHOD_NOT_ALLOWED))
              .header("allow", endpoints.allow()));
    }
  }

  /// Answers a head the decoder could not take.
  void invalid(HttpServerRequest raw) {
    long now = System.nanoTime();
    Link link = link(raw, now);
    link.closeSoon();
    exchange(raw, link, Router.Target.NONE, now).badHead();
  }

  private Exchange exchange(HttpServerRequest raw, Link link, Router.Target target, long now) {
    Method method = methodOf(raw.method());
    Request request = new Request(raw, kit, method == null ? Method.GET : method, target, link);
    Exchange exchange = new Exchange(this, raw, request, link, now);
    link.answeredBy(exchange);
    return exchange;
  }

  private Link link(HttpServerRequest raw, long now) {
    HttpConnection connection = raw.connection();
    Link link = links.get(connection);
    if (link == null) {
      link = new Link(connection, patience, now);
    }
    link.begin();
    return link;
  }

  private static @Nullable Method methodOf(HttpMethod verb) {
    if (verb.equals(HttpMethod.GET) || verb.equals(HttpMethod.HEAD)) {
      return Method.GET;
    }
    if (verb.equals(HttpMethod.POST)) {
      return Method.POST;
    }
    if (verb.equals(HttpMethod.PUT)) {
      return Method.PUT;
    }
    return verb.equals(HttpMethod.DELETE) ? Method.DELETE : null;
  }

  /// Has the exchange expire at a time of `System.nanoTime()`.
  void await(Exchange exchange, long deadline) {
    exchange.deadline = deadline;
    if (exchange.waiting) {
      return;
    }
    exchange.waiting = true;
    exchange.after = first;
    if (first != null) {
      first.before = exchange;
    }
    first = exchange;
    kit.metrics().pending.increment();
  }

  /// The exchange waits no more.
  void release(Exchange exchange) {
    if (!exchange.waiting) {
      return;
    }
    exchange.waiting = false;
    Exchange before = exchange.before;
    Exchange after = exchange.after;
    if (before == null) {
      first = after;
    } else {
      before.after = after;
    }
    if (after != null) {
      after.before = before;
    }
    exchange.before = null;
    exchange.after = null;
    kit.metrics().pending.decrement();
  }

  void opened(SseStream stream) {
    streams.add(stream);
    kit.metrics().streams.increment();
  }

  void ended(SseStream stream) {
    if (streams.remove(stream)) {
      kit.metrics().streams.decrement();
    }
  }

  /// Closes what has overstayed and sends heartbeats. Runs several times a second.
  void sweep() {
    long now = System.nanoTime();
    for (Exchange exchange = first; exchange != null; ) {
      Exchange after = exchange.after;
      if (now - exchange.deadline >= 0) {
        exchange.expire();
      }
      exchange = after;
    }
    for (SseStream stream : List.copyOf(streams)) {
      stream.tick(now);
    }
    long room = missingRoom();
    List<Link> late = new ArrayList<>();
    for (Link link : links.values()) {
      if (link.over(now, false)) {
        late.add(link);
      } else if (room > 0 && link.over(now, true)) {
        late.add(link);
        room--;
      }
    }
    late.forEach(this::close);
  }

  /// How many connections without a request have to make room.
  private long missingRoom() {
    int most = kit.config().maxConnections();
    return most == 0 ? 0 : kit.metrics().connections.sum() - (most - most / 10);
  }

  /// Ends all streams and marks every further reply as its connection's last.
  void drain() {
    draining = true;
    List.copyOf(streams).forEach(SseStream::goAway);
  }

  boolean draining() {
    return draining;
  }

  void close(Link link) {
    if (link.close()) {
      kit.metrics().cut.increment();
    }
  }

  Kit kit() {
    return kit;
  }

  Context context() {
    return context;
  }

  boolean isCurrent() {
    return Thread.currentThread().equals(thread);
  }

  /// Runs on the loop: now when called on it, soon otherwise.
  void run(Runnable action) {
    if (isCurrent()) {
      action.run();
    } else {
      context.runOnContext(_ -> action.run());
    }
  }
}
