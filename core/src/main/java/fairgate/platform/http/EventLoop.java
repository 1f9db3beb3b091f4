package fairgate.platform.http;

import static java.util.Comparator.comparingInt;
import static java.util.stream.Collectors.groupingBy;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.stream.ClientConnection;
import fairgate.platform.http.stream.DeferredFlush;
import fairgate.platform.http.stream.ReplyBuffers;
import fairgate.platform.http.stream.StrictDecoder;
import io.vertx.core.Context;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The state of one event loop: its connections, its pending exchanges, its event streams, and the
/// timer for their deadlines. Used on its own thread only.
final class EventLoop {
  private final HttpServerContext serverContext;
  private final Router router;
  private final DeferredFlush flush = new DeferredFlush();
  private final Context context;
  private final HttpServerOptions options;
  private final ClientConnection.Timeouts timeouts;
  private final Thread thread = Thread.currentThread();
  private final Map<HttpConnection, ClientConnection> clients = new HashMap<>();
  private final Set<SseStream> streams = new LinkedHashSet<>();
  private @Nullable Exchange first;
  private boolean draining;
  private boolean leaving;

  /// Must be called on the event loop's thread.
  EventLoop(
      HttpServerContext serverContext, Router router, Context context, HttpServerOptions options) {
    this.serverContext = serverContext;
    this.router = router;
    this.context = context;
    this.options = options;
    this.timeouts =
        new ClientConnection.Timeouts(
            serverContext.config().timeouts().idle(), serverContext.config().timeouts().receive());
  }

  void connected(HttpConnection connection) {
    if (!serverContext.forwarding().admits(connection)) {
      serverContext.metrics().untrusted.increment();
      connection.close();
      return;
    }
    int limit = serverContext.config().maxConnections();
    serverContext.metrics().connections.increment();
    if (draining || (limit > 0 && serverContext.metrics().connections.sum() > limit)) {
      serverContext.metrics().connections.decrement();
      serverContext.metrics().refusedConnections.increment();
      connection.close();
      return;
    }
    StrictDecoder.install(connection, options);
    ReplyBuffers.install(connection);
    flush.install(connection);
    ClientConnection client = new ClientConnection(connection, timeouts, System.nanoTime());
    client.installPeerMonitor();
    clients.put(connection, client);
    connection.closeHandler(
        _ -> {
          serverContext.metrics().connections.decrement();
          clients.remove(connection);
        });
  }

  void handle(HttpServerRequest raw) {
    long now = System.nanoTime();
    ClientConnection client = client(raw, now);
    HttpMethod verb = raw.method();
    Method method = methodOf(verb);
    if (raw.uri().length() > HttpConfig.MAX_TARGET_LENGTH) {
      exchange(raw, client, Router.Target.NONE, now).longTarget();
      return;
    }
    Router.Match match;
    try {
      match = router.find(method, raw.uri());
    } catch (InvalidRequest problem) {
      exchange(raw, client, Router.Target.NONE, now).fail(problem);
      return;
    }
    Exchange exchange = exchange(raw, client, match.target(), now);
    String page = method == Method.GET ? router.pageOf(match, raw.uri()) : null;
    if (page != null) {
      exchange.finish(Reply.redirect(302, page));
      return;
    }
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
          Reply.refuse(ErrorCode.METHOD_NOT_ALLOWED).header("allow", endpoints.allow()));
    }
  }

  /// Answers a request whose head could not be decoded.
  void invalid(HttpServerRequest raw) {
    long now = System.nanoTime();
    ClientConnection client = client(raw, now);
    client.closeAfterReply();
    exchange(raw, client, Router.Target.NONE, now).badHead();
  }

  private Exchange exchange(
      HttpServerRequest raw, ClientConnection client, Router.Target target, long now) {
    Method method = methodOf(raw.method());
    Request request =
        new Request(raw, serverContext, method == null ? Method.GET : method, target, client);
    Exchange exchange = new Exchange(this, raw, request, client, now);
    client.pendingRequest(exchange);
    return exchange;
  }

  private ClientConnection client(HttpServerRequest raw, long now) {
    HttpConnection connection = raw.connection();
    ClientConnection client = clients.get(connection);
    if (client == null) {
      client = new ClientConnection(connection, timeouts, now);
    }
    client.requestStarted(now);
    return client;
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
    if (verb.equals(HttpMethod.PATCH)) {
      return Method.PATCH;
    }
    return verb.equals(HttpMethod.DELETE) ? Method.DELETE : null;
  }

  /// Sets the deadline of an exchange, in `System.nanoTime()`.
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
    serverContext.metrics().pending.increment();
  }

  /// Removes the exchange from the pending list.
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
    serverContext.metrics().pending.decrement();
  }

  void opened(SseStream stream) {
    streams.add(stream);
    serverContext.metrics().streams.increment();
  }

  void ended(SseStream stream) {
    if (streams.remove(stream)) {
      serverContext.metrics().streams.decrement();
    }
  }

  /// Expires exchanges, closes connections past their timeouts and sends heartbeats. Runs several
  /// times a second.
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
    List<ClientConnection> late = new ArrayList<>();
    List<ClientConnection> waiting = new ArrayList<>();
    for (ClientConnection client : clients.values()) {
      if (client.mustClose(now, false)) {
        late.add(client);
      } else if (room > 0 && client.mustClose(now, true)) {
        waiting.add(client);
      }
    }
    late.forEach(this::close);
    if (!waiting.isEmpty()) {
      mostCrowdedFirst(waiting).limit(room).forEach(this::makeRoom);
    }
  }

  /// The number of connections of this loop to close so that a tenth of the limit is free.
  private long missingRoom() {
    int limit = serverContext.config().maxConnections();
    long all = serverContext.metrics().connections.sum();
    long missing = all - (limit - limit / 10);
    return limit == 0 || missing <= 0 ? 0 : Math.ceilDiv(missing * clients.size(), all);
  }

  /// Orders connections by how many of them their address has.
  private Stream<ClientConnection> mostCrowdedFirst(List<ClientConnection> connections) {
    return connections.stream()
        .collect(groupingBy(client -> client.peer(serverContext.forwarding()).key()))
        .values()
        .stream()
        .sorted(comparingInt(List<ClientConnection>::size).reversed())
        .flatMap(List::stream);
  }

  private void makeRoom(ClientConnection client) {
    if (!client.breakOff()) {
      close(client);
    }
  }

  /// Every further reply closes its connection; new connections are still accepted.
  void leave() {
    leaving = true;
  }

  boolean closesConnections() {
    return leaving || draining;
  }

  /// Ends all event streams; every further reply closes its connection.
  void drain() {
    draining = true;
    List.copyOf(streams).forEach(SseStream::goAway);
  }

  boolean draining() {
    return draining;
  }

  void close(ClientConnection client) {
    if (client.close()) {
      serverContext.metrics().aborted.increment();
    }
  }

  HttpServerContext serverContext() {
    return serverContext;
  }

  Context context() {
    return context;
  }

  boolean isCurrent() {
    return Thread.currentThread().equals(thread);
  }

  /// Runs the action on the event loop: immediately when called there, otherwise soon.
  void run(Runnable action) {
    if (isCurrent()) {
      action.run();
    } else {
      context.runOnContext(_ -> action.run());
    }
  }
}
