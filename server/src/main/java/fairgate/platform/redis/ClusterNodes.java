package fairgate.platform.redis;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which master of a cluster owns which slot, as this server last heard. Nodes are named
/// `host:port`.
///
/// It asks `CLUSTER SLOTS` at the start, after lost connections and after `MOVED`, which also tells
/// of its own slot at once. What it believes may be old: a call that reaches the wrong node is
/// refused there and comes back here. Safe to use from any thread.
final class ClusterNodes {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterNodes.class);
  private static final long GAP_MS = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final RedisSettings settings;
  private final AtomicReferenceArray<@Nullable String> owners =
      new AtomicReferenceArray<>(KeySlot.COUNT);
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile Set<String> masters = Set.of();

  ClusterNodes(Vertx vertx, RedisSettings settings) {
    this.vertx = vertx;
    this.settings = settings;
  }

  /// The master that owns the slot; null when nobody is known to.
  @Nullable String owner(int slot) {
    return owners.get(slot);
  }

  /// All masters that own slots. Another set whenever it may have changed.
  Set<String> masters() {
    return masters;
  }

  /// How to reach a node: as its settings say of the first one.
  String uri(String node) {
    URI first = URI.create(settings.uri());
    String user = first.getRawUserInfo();
    return first.getScheme() + "://" + (user == null ? "" : user + '@') + node;
  }

  /// Notes what a `MOVED` answer told.
  ///
  /// @param from who told it, whose host is meant where the answer names none
  void moved(int slot, String to, String from) {
    String node = to.startsWith(":") ? host(from) + to : bracketed(to);
    owners.set(slot, node);
    synchronized (this) {
      if (!masters.contains(node)) {
        Set<String> more = new LinkedHashSet<>(masters);
        more.add(node);
        masters = Set.copyOf(more);
      }
    }
    refreshSoon();
  }

  /// Asks again, at most five times a second.
  void refreshSoon() {
    if (asking.compareAndSet(false, true)) {
      vertx.setTimer(
          GAP_MS,
          _ ->
              refresh()
                  .onComplete(
                      done -> {
                        asking.set(false);
                        if (done.failed()) {
                          LOG.warn("no node of the redis cluster says who owns what");
                        }
                      }));
    }
  }

  /// Asks one node after the other until one knows; fails when none does.
  Future<Void> refresh() {
    Set<String> nodes = new LinkedHashSet<>();
    masters.forEach(node -> nodes.add(uri(node)));
    nodes.add(settings.uri());
    settings.others().forEach(node -> nodes.add(uri(node)));
    return ask(List.copyOf(nodes), 0);
  }

  private Future<Void> ask(List<String> uris, int index) {
    URI uri = URI.create(uris.get(index));
    return slots(uris.get(index))
        .<Void>map(
            reply -> {
              learn(reply, uri.getHost());
              return null;
            })
        .recover(
            failure ->
                index + 1 < uris.size()
                    ? ask(uris, index + 1)
                    : Future.failedFuture(
                        new ServiceUnavailable("redis cluster: " + failure, RETRY_AFTER)));
  }

  private Future<RedisReply> slots(String uri) {
    RedisOptions options =
        new RedisOptions()
            .setConnectionString(uri)
            .setMaxPoolSize(1)
            .setNetClientOptions(
                new NetClientOptions().setConnectTimeout((int) PATIENCE.toMillis()));
    Redis redis = Redis.createClient(vertx, options);
    return redis
        .connect()
        .compose(ClusterNodes::slots)
        .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .onComplete(_ -> redis.close());
  }

  private static Future<RedisReply> slots(RedisConnection connection) {
    return connection
        .send(Request.cmd(Command.CLUSTER).arg("SLOTS"))
        .map(RedisReply::of)
        .compose(
            reply ->
                reply.size() == 0
                    ? Future.failedFuture("a cluster without slots")
                    : Future.succeededFuture(reply));
  }

  /// Takes an answer of `CLUSTER SLOTS`: per range its first and last slot, then its nodes, the
  /// master first, each with its host, port and id.
  void learn(RedisReply ranges, String asked) {
    @Nullable String[] next = new String[KeySlot.COUNT];
    for (int i = 0; i < ranges.size(); i++) {
      RedisReply range = ranges.at(i);
      String host = range.at(2).textAt(0);
      if (!host.equals("?")) {
        String node = bracketed((host.isEmpty() ? asked : host) + ':' + range.at(2).textAt(1));
        for (int slot = (int) range.at(0).number(); slot <= range.at(1).number(); slot++) {
          next[slot] = node;
        }
      }
    }
    List<String> found = new ArrayList<>();
    for (int slot = 0; slot < next.length; slot++) {
      String node = next[slot];
      owners.set(slot, node);
      if (node != null && (found.isEmpty() || !found.getLast().equals(node))) {
        found.add(node);
      }
    }
    synchronized (this) {
      Set<String> now = Set.copyOf(found);
      if (!now.equals(masters)) {
        masters = now;
      }
    }
  }

  private static String host(String node) {
    return node.substring(0, node.lastIndexOf(':'));
  }

  /// An IPv6 address has colons of its own.
  private static String bracketed(String node) {
    String host = host(node);
    return host.indexOf(':') < 0 || host.startsWith("[")
        ? node
        : '[' + host + ']' + node.substring(node.lastIndexOf(':'));
  }
}
