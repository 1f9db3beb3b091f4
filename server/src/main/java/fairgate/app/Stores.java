package fairgate.app;

import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.audit.AuditParts;
import fairgate.platform.events.InTransit;
import fairgate.platform.events.KafkaLog;
import fairgate.platform.events.KafkaStatus;
import fairgate.platform.events.OutboxRelay;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.events.RelaySettings;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Health.Status;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.sale.ledger.Ledger;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The engines, connected: Redis, PostgreSQL with its schema, and the ledger in it.
///
/// @param kafka what lies between Redis and the ledger, where it does
record Stores(
    RedisClient redis, PostgresDatabase postgres, Ledger ledger, Optional<KafkaLog> kafka) {
  private static final Logger LOG = LoggerFactory.getLogger(Stores.class);
  private static final long START_SECONDS = 30;
  private static final KafkaStatus DIRECT = new KafkaStatus(true, true, 0, Duration.ZERO, 0);

  static Stores open(
      Vertx vertx, EngineAddresses addresses, Optional<KafkaLog> kafka, Closing closing) {
    PostgresDatabase postgres = closing.add(PostgresDatabase.open(vertx, addresses.postgres()));
    Future<RedisClient> connecting = RedisClient.connect(vertx, addresses.redis());
    awaitPostgres(postgres);
    postgres.migrate();
    try {
      RedisClient redis = closing.add(connecting.await(START_SECONDS, TimeUnit.SECONDS));
      kafka.ifPresent(closing::add);
      InTransit inTransit = kafka.isPresent() ? kafka.get() : InTransit.NOTHING;
      return new Stores(rightMode(redis), postgres, Ledger.of(postgres, inTransit), kafka);
    } catch (TimeoutException e) {
      throw new StartFailed("redis does not answer at " + addresses.redis());
    }
  }

  /// Keys are named by the mode: the wrong one would not find what is there.
  static RedisClient rightMode(RedisClient redis) throws TimeoutException {
    if (redis.clustered()) {
      warnOfCoverage(redis);
      return redis;
    }
    String info = redis.send("INFO", "cluster").await(START_SECONDS, TimeUnit.SECONDS).text();
    if (info.contains("cluster_enabled:1")) {
      throw new StartFailed("redis.url is a node of a cluster: set redis.mode to cluster");
    }
    return redis;
  }

  private static void warnOfCoverage(RedisClient redis) {
    String setting = "cluster-require-full-coverage";
    // Where it may not be asked nobody is warned.
    redis
        .sendTo("", "CONFIG", "GET", setting)
        .onSuccess(
            reply -> {
              if (reply.get(setting).text().equals("yes")) {
                LOG.warn("{} is yes: one master that is away stops every sale", setting);
              }
            });
  }

  /// How the keys of sales are named here.
  SaleKeys.Style style() {
    return SaleKeys.Style.of(redis.clustered());
  }

  /// A machine under load may take long for the first connection.
  private static void awaitPostgres(PostgresDatabase postgres) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try {
        var _ = postgres.check().await(START_SECONDS, TimeUnit.SECONDS);
        return;
      } catch (TimeoutException | ServiceUnavailable e) {
        if (System.nanoTime() > deadline) {
          throw new StartFailed("postgresql does not answer: " + e.getMessage());
        }
      }
    }
  }

  /// The relay that writes the outboxes of all products into the ledger, or into Kafka, from where
  /// the ledger is written.
  ///
  /// @param told puts a sink around the ledger's
  OutboxRelay relay(
      Supplier<Collection<ProductId>> products,
      UnaryOperator<OutboxSink> told,
      Clock clock,
      String node) {
    OutboxSink written = told.apply(ledger.sink());
    kafka.ifPresent(
        log -> log.start(written, ledger.deadLetters(), RelaySettings.standard(), clock));
    return new OutboxRelay(
        redis,
        node,
        () ->
            products.get().stream()
                .map(id -> new OutboxStream(id, SaleKeys.of(id, style()).outbox()))
                .toList(),
        kafka.map(KafkaLog::sink).orElse(written),
        kafka.isPresent() ? KafkaLog.uncounted(ledger.deadLetters()) : ledger.deadLetters(),
        RelaySettings.standard(),
        clock);
  }

  /// The audit log, and for operators whether it keeps up.
  static AuditLog audit(FairgateConfig config, AuditParts parts, Health health) {
    AuditLog audit = AuditLog.open(Settings.audit(config.audit()), parts);
    health.register("audit", () -> Future.succeededFuture(audit.status()));
    return audit;
  }

  /// Lets operators see whether the engines answer.
  void report(Health health) {
    // Of a cluster the masters that answer go on selling.
    health.register(
        "redis",
        () ->
            redis
                .silent()
                .map(
                    nodes ->
                        nodes.isEmpty()
                            ? Status.good()
                            : Status.worse("no answer from " + String.join(", ", nodes))));
    // Buying goes on without PostgreSQL: the outbox keeps what the ledger has to learn.
    health.register(
        "postgres",
        () ->
            postgres
                .check()
                .map(_ -> Status.good())
                .otherwise(failure -> Status.worse("does not answer; the ledger waits")));
  }

  /// Lets operators see how far the ledger is behind.
  void report(OutboxRelay relay, Health health, Metrics metrics) {
    metrics.gauge(
        "fairgate_outbox_lag_entries",
        "Outbox entries the ledger has not got yet",
        () -> relay.status().lag() + way().lag());
    metrics.gauge(
        "fairgate_outbox_oldest_seconds",
        "Age of the oldest entry the ledger has not got yet",
        () -> Math.max(relay.status().oldest().toMillis(), way().oldest().toMillis()) / 1000.0);
    metrics.gauge(
        "fairgate_kafka_lag_entries", "Those of them that are in Kafka", () -> way().lag());
    metrics.gauge(
        "fairgate_dead_letters",
        "Outbox entries the ledger would not take",
        () -> relay.status().deadLetters() + way().deadLetters());
    health.register(
        "ledger",
        () ->
            Future.succeededFuture(
                relay.status().deadLetters() + way().deadLetters() > 0
                    ? Status.worse(
                        relay.status().deadLetters() + way().deadLetters() + " dead letters")
                    : relay.status().working() && way().writing()
                        ? Status.good()
                        : Status.worse("the relay is waiting for an engine")));
    // Buying goes on without Kafka: the outbox keeps what it has to learn.
    kafka.ifPresent(
        log ->
            health.register(
                "kafka",
                () ->
                    Future.succeededFuture(
                        log.status().up()
                            ? Status.good()
                            : Status.worse("does not answer; the ledger waits"))));
  }

  /// How the way through Kafka does; where there is none, well.
  private KafkaStatus way() {
    return kafka.map(KafkaLog::status).orElse(DIRECT);
  }
}
