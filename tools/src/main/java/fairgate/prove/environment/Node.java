package fairgate.prove.environment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One node of the server, at an address that stays while it dies and comes back, with proxies to
/// its engines that are its own.
public final class Node implements AutoCloseable {
  private final Launcher launcher;
  private final Path home;
  private final Map<String, String> settings = new HashMap<>();
  private final TcpProxy http;
  private final TcpProxies redis;
  private final TcpProxy postgres;
  private final Optional<TcpProxy> kafka;
  private Launcher.@Nullable Launched running;
  private Duration skew = Duration.ZERO;

  /// @param number counts from 1
  Node(Launcher launcher, Path home, Engines engines, int number) {
    this.launcher = launcher;
    this.home = home;
    this.redis = new TcpProxies(engines.masters().stream().map(m -> wire(m, number)).toList());
    this.postgres = TcpProxy.open(engines::postgresSocket);
    this.kafka = engines.broker().map(broker -> wire(broker, number));
    this.http =
        TcpProxy.open(() -> new InetSocketAddress(InetAddress.getLoopbackAddress(), inner()));
    var at = engines.postgres();
    List<String> ways = redis.all().stream().map(TcpProxy::address).toList();
    settings.put("REDIS_URL", "redis://" + ways.getFirst());
    if (engines.clustered()) {
      settings.put("FAIRGATE_REDIS_MODE", "cluster");
      settings.put("FAIRGATE_REDIS_NODES", String.join(",", ways.subList(1, ways.size())));
    }
    if (engines.replicas().isPresent()) {
      settings.put("FAIRGATE_REDIS_DURABILITY", "replicated");
    }
    settings.put(
        "DATABASE_URL",
        "postgresql://%s:%s@127.0.0.1:%d/%s"
            .formatted(at.user(), at.password(), postgres.port(), at.database()));
    kafka.ifPresent(proxy -> settings.put("KAFKA_BOOTSTRAP_SERVERS", proxy.address()));
    settings.put("FAIRGATE_DATA_DIR", home.toString());
    settings.putAll(CallLimit.settings());
  }

  /// Masters of a cluster report only their ports, so a node needs its own loopback address, with a
  /// proxy on the port of each master.
  private static TcpProxy wire(Master master, int number) {
    int port = master.address().port();
    if (port == 0) {
      return TcpProxy.open(master::socket);
    }
    String host = "127.0.0." + (number + 1);
    try {
      return TcpProxy.open(new InetSocketAddress(host, port), master::socket);
    } catch (UncheckedIOException e) {
      throw new IllegalStateException(
          "nothing can listen on "
              + host
              + " (macOS: sudo ifconfig lo0 alias "
              + host
              + "): "
              + e.getMessage(),
          e);
    }
  }

  private static TcpProxy wire(Broker broker, int number) {
    var at = new InetSocketAddress(InetAddress.getLoopbackAddress(), broker.wirePort(number));
    return TcpProxy.open(at, () -> broker.behind(number));
  }

  /// Adds environment variables for the next start.
  synchronized void settings(Map<String, String> more) {
    settings.putAll(more);
  }

  private synchronized int inner() {
    if (running == null) {
      throw new IllegalStateException("the node is down");
    }
    return running.port();
  }

  /// Where clients call it.
  public int port() {
    return http.port();
  }

  public Path home() {
    return home;
  }

  /// Between clients and the node.
  public TcpProxy http() {
    return http;
  }

  /// To every Redis.
  public TcpProxies redis() {
    return redis;
  }

  /// To one Redis.
  public TcpProxy redis(Master master) {
    return redis.all().get(master.index());
  }

  public TcpProxy postgres() {
    return postgres;
  }

  /// Where there is one.
  public TcpProxy kafka() {
    return kafka.orElseThrow();
  }

  public synchronized boolean up() {
    return running != null;
  }

  /// By how much its clock is wrong, from its next start on.
  public synchronized void skew(Duration wrong) {
    skew = wrong;
  }

  /// Starts it unless it runs.
  public void start() {
    Duration wrong;
    synchronized (this) {
      if (running != null) {
        return;
      }
      wrong = skew;
    }
    try {
      Launcher.Launched started = launcher.launch(home, settings, wrong);
      synchronized (this) {
        running = started;
      }
    } catch (IOException e) {
      throw new IllegalStateException("a node does not start: " + e.getMessage(), e);
    }
  }

  /// `kill -9`; data that its proxies hold is lost.
  public void kill() {
    Launcher.Launched dying = take();
    if (dying != null) {
      dying.kill();
    }
    reset();
  }

  /// A graceful end, as of a node that gets a new version.
  public void stop() {
    Launcher.Launched ending = take();
    if (ending != null) {
      ending.stop();
    }
    reset();
  }

  private synchronized Launcher.@Nullable Launched take() {
    Launcher.Launched was = running;
    running = null;
    return was;
  }

  private void reset() {
    for (TcpProxy proxy : proxies()) {
      proxy.tap(TcpProxy.Tap.NONE);
      proxy.cutReplies(0);
      proxy.drop();
      proxy.flow();
    }
  }

  private List<TcpProxy> proxies() {
    List<TcpProxy> all = new ArrayList<>(redis.all());
    all.addAll(List.of(http, postgres));
    kafka.ifPresent(all::add);
    return all;
  }

  @Override
  public void close() {
    stop();
    proxies().forEach(TcpProxy::close);
  }
}
