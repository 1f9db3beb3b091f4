package fairgate.platform.redis;

import fairgate.platform.observe.OutageLog;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A cache of the slot owners of a cluster. Nodes are named `host:port`.
///
/// The owners are read with `CLUSTER SLOTS` at the start, after a lost connection and after
/// `MOVED`; a `MOVED` reply also updates its slot at once. Entries may be stale: a call to the
/// wrong node is refused there and redirected. Thread-safe.
final class ClusterNodes {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterNodes.class);
  private static final long MIN_REFRESH_INTERVAL_MS = 200;
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final RedisSettings settings;
  private final AtomicReferenceArray<@Nullable String> owners =
      new AtomicReferenceArray<>(KeySlot.COUNT);
  private final AtomicBoolean refreshing = new AtomicBoolean();
  private final OutageLog outage = new OutageLog(LOG, "map of the redis cluster");
  private final Map<String, OutageLog> outages = new ConcurrentHashMap<>();
  private volatile Set<String> masters = Set.of();

  ClusterNodes(Vertx vertx, RedisSettings settings) {
    this.vertx = vertx;
    this.settings = settings;
  }

  /// The master that owns the slot; null when unknown.
  @Nullable String owner(int slot) {
    return owners.get(slot);
  }

  /// All masters that own slots. A new set object whenever the masters may have changed.
  Set<String> masters() {
    return masters;
  }

  /// The URI of a node, with the scheme and the credentials of the settings.
  String uri(String node) {
    URI first = URI.create(settings.uri());
    String user = first.getRawUserInfo();
    return first.getScheme() + "://" + (user == null ? "" : user + '@') + node;
  }

  /// The outage log of a node, shared by all event loops.
  OutageLog outage(String node) {
    return outages.computeIfAbsent(node, NodeConnection::outageOf);
  }

  /// Records the new owner from a `MOVED` reply.
  ///
  /// @param from the node that replied; its host is used when `to` has none
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

  /// Refreshes the owners soon, at most five times a second.
  void refreshSoon() {
    if (refreshing.compareAndSet(false, true)) {
      vertx.setTimer(
          MIN_REFRESH_INTERVAL_MS,
          _ ->
              refresh()
                  .onComplete(
                      done -> {
                        refreshing.set(false);
                        if (done.failed()) {
                          outage.waits(done.cause());
                        } else {
                          outage.worked();
                        }
                      }));
    }
  }

  /// Refreshes the owners from the first node that answers; fails when none does.
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
              store(reply, uri.getHost());
              return null;
            })
        .recover(
            failure ->
                index + 1 < uris.size()
                    ? ask(uris, index + 1)
                    : Future.failedFuture(NodeConnection.unreachable(failure)));
  }

  private Future<RedisReply> slots(String uri) {
    NetClientOptions net = new NetClientOptions().setConnectTimeout((int) TIMEOUT.toMillis());
    Redis redis = Redis.createClient(vertx, settings.node(uri).options(net));
    return redis
        .connect()
        .compose(ClusterNodes::slots)
        .timeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .onComplete(_ -> redis.close());
  }

  private static Future<RedisReply> slots(RedisConnection connection) {
    return connection
        .send(Request.cmd(Command.CLUSTER).arg("SLOTS"))
        .map(RedisReply::of)
        .compose(
            reply ->
                reply.size() == 0
                    ? Future.failedFuture("the cluster reports no slots")
                    : Future.succeededFuture(reply));
  }

  /// Stores a reply of `CLUSTER SLOTS`: for each range its first and last slot, then its nodes, the
  /// master first, each with host, port and id.
  void store(RedisReply ranges, String defaultHost) {
    @Nullable String[] next = new String[KeySlot.COUNT];
    for (int i = 0; i < ranges.size(); i++) {
      RedisReply range = ranges.at(i);
      String host = range.at(2).textAt(0);
      if (!host.equals("?")) {
        String node =
            bracketed((host.isEmpty() ? defaultHost : host) + ':' + range.at(2).textAt(1));
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
    // The slots of a former master have another owner.
    outages.forEach(
        (node, away) -> {
          if (!masters.contains(node)) {
            away.over();
          }
        });
  }

  private static String host(String node) {
    return node.substring(0, node.lastIndexOf(':'));
  }

  /// Puts brackets around an IPv6 address.
  private static String bracketed(String node) {
    String host = host(node);
    return host.indexOf(':') < 0 || host.startsWith("[")
        ? node
        : '[' + host + ']' + node.substring(node.lastIndexOf(':'));
  }
}
