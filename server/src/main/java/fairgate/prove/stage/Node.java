package fairgate.prove.stage;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One node of the server, at an address that stays while it dies and comes back, with wires to its
/// engines that are its own.
public final class Node implements AutoCloseable {
  private final Launcher launcher;
  private final Path home;
  private final Map<String, String> settings = new HashMap<>();
  private final Wire http;
  private final Wire redis;
  private final Wire postgres;
  private Launcher.@Nullable Launched running;
  private Duration skew = Duration.ZERO;

  Node(Launcher launcher, Path home, Engines engines) {
    this.launcher = launcher;
    this.home = home;
    this.redis = Wire.open(engines::redis);
    this.postgres = Wire.open(engines::postgresSocket);
    this.http = Wire.open(() -> new InetSocketAddress(InetAddress.getLoopbackAddress(), inner()));
    var at = engines.postgres();
    settings.put("REDIS_URL", "redis://127.0.0.1:" + redis.port());
    settings.put(
        "DATABASE_URL",
        "postgresql://%s:%s@127.0.0.1:%d/%s"
            .formatted(at.user(), at.password(), postgres.port(), at.database()));
    settings.put("FAIRGATE_DATA_DIR", home.toString());
  }

  /// Adds to what it starts with.
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

  public Wire redis() {
    return redis;
  }

  public Wire postgres() {
    return postgres;
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

  /// `kill -9`; what was held on its wires is lost.
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
    for (Wire wire : new Wire[] {http, redis, postgres}) {
      wire.tap(Wire.Tap.NONE);
      wire.cutReplies(0);
      wire.drop();
      wire.flow();
    }
  }

  @Override
  public void close() {
    stop();
    http.close();
    redis.close();
    postgres.close();
  }
}
