package fairgate.app;

import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.events.InTransit;
import fairgate.platform.events.KafkaLog;
import fairgate.platform.events.OutboxRelay;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Health.Status;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.IncompatibleData;
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
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The connections to the engines: Redis, PostgreSQL with its schema, and the ledger in it.
///
/// @param kafka Kafka between Redis and the ledger; empty without it
record Stores(
    RedisClient redis, PostgresDatabase postgres, Ledger ledger, Optional<KafkaLog> kafka) {
  private static final Logger LOG = LoggerFactory.getLogger(Stores.class);
  private static final Duration START = Duration.ofSeconds(30);

  /// Shorter than the time limit of a health check, after which PostgreSQL would count as down.
  private static final long POSTGRES_CHECK_MS = 1_500;

  private static final KafkaLog.Status DIRECT =
      new KafkaLog.Status(true, true, 0, Duration.ZERO, 0);

  static Stores open(
      Vertx vertx, EngineAddresses addresses, Optional<KafkaLog> kafka, Closer closer) {
    PostgresDatabase postgres = closer.add(PostgresDatabase.open(vertx, addresses.postgres()));
    Future<RedisClient> connecting = RedisClient.connect(vertx, addresses.redis());
    try {
      postgres.awaitAnswer(START);
      postgres.migrate();
    } catch (IncompatibleData e) {
      throw new StartFailed(String.valueOf(e.getMessage()));
    } catch (ServiceUnavailable e) {
      throw new StartFailed(
          e.isRefusal()
              ? String.valueOf(e.getMessage())
              : "PostgreSQL does not answer: " + e.getMessage());
    }
    try {
      RedisClient redis = closer.add(connecting.await(START.toSeconds(), TimeUnit.SECONDS));
      RedisLayout.check(rightMode(redis));
      kafka.ifPresent(closer::add);
      InTransit inTransit = kafka.isPresent() ? kafka.get() : InTransit.NOTHING;
      return new Stores(redis, postgres, Ledger.of(postgres, inTransit), kafka);
    } catch (TimeoutException e) {
      throw new StartFailed("Redis does not answer at " + addresses.redis());
    }
  }

  /// Checks the Redis mode. The names of the keys depend on it, so the wrong mode would find no
  /// data.
  static RedisClient rightMode(RedisClient redis) throws TimeoutException {
    if (redis.clustered()) {
      warnOfCoverage(redis);
      return redis;
    }
    String info = redis.send("INFO", "cluster").await(START.toSeconds(), TimeUnit.SECONDS).text();
    if (info.contains("cluster_enabled:1")) {
      throw new StartFailed("redis.url is a node of a cluster: set redis.mode to cluster");
    }
    return redis;
  }

  private static void warnOfCoverage(RedisClient redis) {
    String setting = "cluster-require-full-coverage";
    // No warning when the command is not allowed.
    redis
        .sendTo("", "CONFIG", "GET", setting)
        .onSuccess(
            reply -> {
              if (reply.get(setting).text().equals("yes")) {
                LOG.warn("{} is set to yes: one master that is down stops every sale", setting);
              }
            });
  }

  /// The naming style of the keys of sales.
  SaleKeys.Style style() {
    return SaleKeys.Style.of(redis.clustered());
  }

  /// The relay that writes the outboxes of all products into the ledger, or into Kafka, from which
  /// the ledger is written.
  ///
  /// @param decorator wraps the ledger's sink
  OutboxRelay relay(
      Supplier<Collection<ProductId>> products,
      UnaryOperator<OutboxSink> decorator,
      Clock clock,
      String node) {
    OutboxSink ledgerSink = decorator.apply(ledger.sink());
    kafka.ifPresent(
        log -> log.start(ledgerSink, ledger.deadLetters(), OutboxRelay.Settings.standard(), clock));
    return new OutboxRelay(
        redis,
        node,
        () ->
            products.get().stream()
                .map(id -> new OutboxStream(id, SaleKeys.of(id, style()).outbox()))
                .toList(),
        kafka.map(KafkaLog::sink).orElse(ledgerSink),
        kafka.isPresent() ? KafkaLog.uncounted(ledger.deadLetters()) : ledger.deadLetters(),
        OutboxRelay.Settings.standard(),
        clock);
  }

  /// Opens the audit log and registers its health check.
  static AuditLog audit(FairgateConfig config, AuditLog.Parts parts, Health health) {
    AuditLog audit = AuditLog.open(Settings.audit(config.audit()), parts);
    health.register("audit", () -> Future.succeededFuture(audit.status()));
    return audit;
  }

  /// Registers the health checks of the engines.
  void report(Health health) {
    // In a cluster, sales continue on the masters that answer.
    health.register(
        "redis",
        () ->
            redis
                .unreachableNodes()
                .map(
                    nodes ->
                        nodes.isEmpty()
                            ? Status.good()
                            : Status.worse("no answer from " + String.join(", ", nodes))));
    // Purchases continue without PostgreSQL: the outbox keeps the events for the ledger.
    health.register(
        "postgres",
        () ->
            postgres
                .check()
                .timeout(POSTGRES_CHECK_MS, TimeUnit.MILLISECONDS)
                .map(_ -> Status.good())
                .otherwise(failure -> Status.worse("does not respond; the ledger is delayed")));
  }

  /// Registers metrics and health checks of the ledger's lag.
  ///
  /// @param missing events that the ledger lacks although all were acknowledged
  void report(OutboxRelay relay, LongSupplier missing, Health health, Metrics metrics) {
    redis.publish(metrics);
    postgres.publish(metrics);
    ledger.meter(metrics);
    metrics.gauge(
        "fairgate_ledger_missing_events",
        "Events Redis has counted that the ledger lacks, though all were acknowledged",
        missing::getAsLong);
    metrics.gauge(
        "fairgate_outbox_lag_entries",
        "Outbox entries the ledger has not got yet",
        () -> relay.status().lag() + kafkaStatus().lag());
    metrics.gauge(
        "fairgate_outbox_oldest_seconds",
        "Age of the oldest entry the ledger has not got yet",
        () ->
            Math.max(relay.status().oldest().toMillis(), kafkaStatus().oldest().toMillis())
                / 1000.0);
    metrics.gauge(
        "fairgate_kafka_lag_entries", "Those of them that are in Kafka", () -> kafkaStatus().lag());
    metrics.gauge(
        "fairgate_dead_letters",
        "Outbox entries the ledger would not take",
        () -> relay.status().deadLetters() + kafkaStatus().deadLetters());
    health.register(
        "ledger",
        () ->
            Future.succeededFuture(
                relay.status().deadLetters() + kafkaStatus().deadLetters() > 0
                    ? Status.worse(
                        relay.status().deadLetters()
                            + kafkaStatus().deadLetters()
                            + " dead letters")
                    : missing.getAsLong() > 0
                        ? Status.worse(missing.getAsLong() + " events were lost before the ledger")
                        : relay.status().working() && kafkaStatus().writing()
                            ? Status.good()
                            : Status.worse("the relay is waiting for an engine")));
    // Purchases continue without Kafka: the outbox keeps the events.
    kafka.ifPresent(
        log ->
            health.register(
                "kafka",
                () ->
                    Future.succeededFuture(
                        log.status().up()
                            ? Status.good()
                            : Status.worse("accepts nothing; the ledger is delayed"))));
  }

  /// The state of Kafka; good without Kafka.
  private KafkaLog.Status kafkaStatus() {
    return kafka.map(KafkaLog::status).orElse(DIRECT);
  }
}
