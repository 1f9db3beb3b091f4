package fairgate.prove.environment;

import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.EmbeddedEngines.ClusterAddress;
import fairgate.platform.embedded.EngineOptions;
import fairgate.platform.embedded.PostgresAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// The real engines of a proof: Redis, one or a cluster of three masters, PostgreSQL, and perhaps
/// Kafka. They may be killed and kept down.
public final class Engines implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int MASTERS = 3;

  private final EmbeddedEngines engines;
  private final List<Master> masters;
  private final ClusterSlots slots;
  private final Hold postgres = new Hold();

  private final Optional<Broker> broker;
  private final Optional<ReplicaSet> replicas;

  /// The selected engines.
  ///
  /// @param cluster whether Redis is a cluster of three masters
  /// @param replicas whether Redis is a primary with two replicas, and answers wait for one
  /// @param kafkaHome an unpacked Kafka, if the run uses one
  /// @param nodes the number of servers
  public record Choice(boolean cluster, boolean replicas, Optional<Path> kafkaHome, int nodes) {}

  private Engines(
      Path data, EmbeddedEngines engines, Optional<Broker> broker, Optional<ReplicaSet> replicas)
      throws IOException {
    this.engines = engines;
    this.replicas = replicas;
    this.broker = broker;
    List<Master> all = new ArrayList<>();
    List<ClusterAddress> nodes = engines.redisNodes();
    for (int i = 0; i < nodes.size(); i++) {
      String folder = nodes.size() == 1 ? "redis" : "redis-" + (i + 1);
      Path home = data.toRealPath().resolve("engines").resolve(folder);
      ClusterAddress address = nodes.get(i);
      Supplier<SocketAddress> socket =
          replicas.isPresent() ? replicas.get()::primary : () -> Master.socket(address);
      all.add(new Master(i, address, home, engines::redisPid, socket));
    }
    this.masters = List.copyOf(all);
    this.slots = new ClusterSlots(masters);
  }

  /// Starts all on data of their own, as durable as `up` has them; returns when they serve.
  public static Engines start(Path data, Choice choice) throws IOException {
    Optional<Broker> broker =
        choice.kafkaHome().isPresent()
            ? Optional.of(
                Broker.start(choice.kafkaHome().get(), data.resolve("kafka"), choice.nodes()))
            : Optional.empty();
    try {
      EmbeddedEngines started =
          choice.cluster()
              ? EmbeddedEngines.startCluster(data, EngineOptions.durable(), MASTERS)
              : EmbeddedEngines.start(data, EngineOptions.durable());
      Optional<ReplicaSet> replicas =
          choice.replicas()
              ? Optional.of(ReplicaSet.start(started.redisProgram(), data.resolve("replicas")))
              : Optional.empty();
      Engines all = new Engines(data, started, broker, replicas);
      all.awaitReady();
      return all;
    } catch (IOException | RuntimeException e) {
      broker.ifPresent(Broker::close);
      throw e;
    }
  }

  private void awaitReady() throws IOException {
    try {
      if (clustered()) {
        slots.share();
      }
      broker.ifPresent(Broker::awaitReady);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /// Whether Redis is a cluster.
  public boolean clustered() {
    return masters.size() > 1;
  }

  /// Every Redis.
  public List<Master> masters() {
    return masters;
  }

  /// The Redis that has a sale.
  public Master master(String product) {
    return slots.owner(product);
  }

  /// Whether a Redis has a sale, at this moment.
  public Predicate<String> salesOf(Master master) {
    return slots.salesOf(master);
  }

  /// Whether a Redis may point to sessions of a sale.
  public Predicate<String> placesOf(Master master) {
    return slots.placesOf(master);
  }

  /// Moves a sale to another master of the cluster.
  public void move(String product, Master to) throws IOException {
    slots.move(product, to);
  }

  /// The Kafka between Redis and PostgreSQL, where there is one.
  public Optional<Broker> broker() {
    return broker;
  }

  /// The primary and its replicas, where there are some.
  public Optional<ReplicaSet> replicas() {
    return replicas;
  }

  /// Where PostgreSQL is, whether it runs or not.
  public PostgresAddress postgres() {
    return engines.postgres();
  }

  /// The same, for a proxy.
  public SocketAddress postgresSocket() {
    PostgresAddress at = engines.postgres();
    return new InetSocketAddress(at.host(), at.port());
  }

  /// A connection of the proof's own.
  public Connection sql() throws SQLException {
    PostgresAddress at = engines.postgres();
    return DriverManager.getConnection(
        "jdbc:postgresql://" + at.host() + ":" + at.port() + "/" + at.database(),
        at.user(),
        at.password());
  }

  /// `kill -9` of PostgreSQL's first process; it stays dead until `postgresBack`.
  public void killPostgres() {
    postgres.kill(engines.postgresPid());
    Waiting.until("the end of PostgreSQL", PATIENCE, () -> !postgresAnswers());
  }

  public void postgresBack() {
    postgres.release();
    Waiting.until("PostgreSQL", PATIENCE, this::postgresAnswers);
  }

  private boolean postgresAnswers() {
    try (Connection connection = sql()) {
      return connection.isValid(1);
    } catch (SQLException _) {
      return false;
    }
  }

  @Override
  public void close() {
    masters.forEach(Master::release);
    postgres.release();
    engines.close();
    broker.ifPresent(Broker::close);
    replicas.ifPresent(ReplicaSet::close);
  }
}
