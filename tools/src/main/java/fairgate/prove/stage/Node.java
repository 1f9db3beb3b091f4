package fairgate.prove.stage;

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

/// One node of the server, at an address that stays while it dies and comes back, with wires to its
/// engines that are its own.
public final class Node implements AutoCloseable {
  private final Launcher launcher;
  private final Path home;
  private final Map<String, String> settings = new HashMap<>();
  private final Wire http;
  private final Wires redis;
  private final Wire postgres;
  private final Optional<Wire> kafka;
  private Launcher.@Nullable Launched running;
  private Duration skew = Duration.ZERO;

  /// @param number counts from 1
  Node(Launcher launcher, Path home, Engines engines, int number) {
    this.launcher = launcher;
    this.home = home;
    this.redis = new Wires(engines.masters().stream().map(m -> wire(m, number)).toList());
    this.postgres = Wire.open(engines::postgresSocket);
    this.kafka = engines.broker().map(broker -> wire(broker, number));
    this.http = Wire.open(() -> new InetSocketAddress(InetAddress.getLoopbackAddress(), inner()));
    var at = engines.postgres();
    List<String> ways = redis.all().stream().map(Wire::address).toList();
    settings.put("REDIS_URL", "redis://" + ways.getFirst());
    if (engines.clustered()) {
      settings.put("FAIRGATE_REDIS_MODE", "cluster");
      settings.put("FAIRGATE_REDIS_NODES", String.join(",", ways.subList(1, ways.size())));
    }
    settings.put(
        "DATABASE_URL",
        "postgresql://%s:%s@127.0.0.1:%d/%s"
            .formatted(at.user(), at.password(), postgres.port(), at.database()));
    kafka.ifPresent(wire -> settings.put("KAFKA_BOOTSTRAP_SERVERS", wire.address()));
    settings.put("FAIRGATE_DATA_DIR", home.toString());
    settings.putAll(CallLimit.settings());
  }

  /// Masters of a cluster report only their ports, so a node needs its own loopback address, with a
  /// proxy on the port of each master.
  private static Wire wire(Master master, int number) {
    int port = master.address().port();
    if (port == 0) {
      return Wire.open(master::socket);
    }
    String host = "127.0.0." + (number + 1);
    try {
      return Wire.open(new InetSocketAddress(host, port), master::socket);
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

  private static Wire wire(Broker broker, int number) {
    var at = new InetSocketAddress(InetAddress.getLoopbackAddress(), broker.wirePort(number));
    return Wire.open(at, () -> broker.behind(number));
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
  public Wire http() {
    return http;
  }

  /// To every Redis.
  public Wires redis() {
    return redis;
  }

  /// To one Redis.
  public Wire redis(Master master) {
    return redis.all().get(master.index());
  }

  public Wire postgres() {
    return postgres;
  }

  /// Where there is one.
  public Wire kafka() {
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
    for (Wire wire : wires()) {
      wire.tap(Wire.Tap.NONE);
      wire.cutReplies(0);
      wire.drop();
      wire.flow();
    }
  }

  private List<Wire> wires() {
    List<Wire> all = new ArrayList<>(redis.all());
    all.addAll(List.of(http, postgres));
    kafka.ifPresent(all::add);
    return all;
  }

  @Override
  public void close() {
    stop();
    wires().forEach(Wire::close);
  }
}
