package fairgate.app.config;

import fairgate.kernel.AddressBlock;
import fairgate.platform.events.KafkaLog;
import fairgate.platform.feature.FeatureSettings;
import fairgate.platform.feature.Secret;
import fairgate.platform.feature.Setting;
import fairgate.platform.run.EngineWait;
import fairgate.platform.tls.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// All settings, checked and typed. Unset texts and URLs are empty. The records declare the
/// settings: their names, defaults and documentation are the annotations of the components.
///
/// @param values the same as text, with their sources
public record FairgateConfig(
    @Setting(
            name = "data_dir",
            fallback = "./data",
            values = "folder",
            doc =
                "Folder for data, logs and secrets of `up`. A node of `serve` keeps its "
                    + "name there if the folder exists.")
        Path dataDir,
    Server server,
    Keys keys,
    Stores stores,
    GateSettings gate,
    Audit audit,
    PaymentSettings payment,
    ChannelSettings channels,
    @Setting(
            name = "links.base_url",
            schemes = {"http", "https"},
            doc = "Base of short addresses; empty uses the address the server listens on.")
        String baseUrl,
    Features features,
    SignInSettings signIn,
    Pages pages,
    Operators operators,
    Tracing traces,
    ConfigValues values) {

  public static FairgateConfig of(ConfigValues values) {
    return ConfigRecords.read(FairgateConfig.class, values);
  }

  /// A copy with the keys that `up` stores in the data folder.
  public FairgateConfig withKeys(Keys kept) {
    return new FairgateConfig(
        dataDir,
        server,
        kept,
        stores,
        gate,
        audit,
        payment,
        channels,
        baseUrl,
        features,
        signIn,
        pages,
        operators,
        traces,
        values.withStored(List.of("operator_token", "master_secret")));
  }

  /// The settings of the features that have one entry each.
  public record Features(Map<Class<?>, Record> byType) {
    public Features {
      byType = Map.copyOf(byType);
    }

    /// The problems of settings that contradict each other.
    ///
    /// @param serve whether they are for `serve`
    public List<String> problems(boolean serve) {
      return own().flatMap(each -> each.problems(serve).stream()).toList();
    }

    /// The shop's address as buyers see it; empty if no feature has it.
    public String shopUrl() {
      return own().map(FeatureSettings::shopUrl).collect(Collectors.joining());
    }

    private Stream<FeatureSettings> own() {
      return byType.values().stream()
          .filter(FeatureSettings.class::isInstance)
          .map(FeatureSettings.class::cast);
    }
  }

  public record Server(
      @Setting(
              name = "server.host",
              fallback = "127.0.0.1",
              values = "address",
              doc = "The address to listen on.")
          String host,
      @Setting(
              name = "server.port",
              fallback = "8080",
              min = 0,
              max = 65535,
              aliases = "FAIRGATE_PORT",
              doc = "The port to listen on; 0 chooses a free one.")
          int port,
      @Setting(
              name = "server.admin_port",
              fallback = "-1",
              min = -1,
              max = 65535,
              doc =
                  "A port of its own for the console, the admin API and `/metrics`; 0 chooses a free"
                      + " one, and -1 serves them on `server.port`.")
          int adminPort,
      @Setting(
              name = "server.max_connections",
              fallback = "50000",
              min = 10,
              max = 1_000_000,
              doc = "Maximum number of connections; lower if the system limits open files.")
          int connections,
      @Setting(
              name = "server.drain_seconds",
              fallback = "5",
              min = 0,
              max = 60,
              doc =
                  "How long a stopping node of `serve` reports that it is not ready and serves on,"
                      + " so that balancers notice.")
          int drainSeconds,
      @Setting(
              name = "server.warm_up_ms",
              fallback = "1000",
              min = 0,
              max = 10_000,
              doc =
                  "How long a starting node of `serve` calls its own pages before it listens, so that"
                      + " the first buyers wait less for Java's compiler; 0 is off.")
          int warmUpMillis,
      @Setting(
              name = "demo",
              fallback = "on",
              doc = "Whether `up` creates a demo sale in empty data.")
          boolean demo,
      Proxies proxies,
      @Setting(
              name = "server.metrics",
              fallback = "loopback",
              words = {"loopback", "token"},
              doc =
                  "Access to `/metrics` and to details of health without the "
                      + "operator token: `loopback` allows programs on this machine if no proxy "
                      + "is configured; `token` allows nobody.")
          String metrics) {
    /// Whether the console and the admin API have a port of their own.
    public boolean hasAdminPort() {
      return adminPort >= 0;
    }

    /// Whether programs on this machine may read `/metrics` and details of health without a token.
    public boolean localMetrics() {
      return metrics.equals("loopback");
    }
  }

  /// Spans of requests for OpenTelemetry.
  public record Tracing(
      @Setting(
              name = "traces.url",
              schemes = {"http", "https"},
              aliases = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
              doc =
                  "Where spans of requests are sent (OTLP over HTTP, JSON), such as"
                      + " `http://127.0.0.1:4318/v1/traces`; empty is off.")
          String url,
      @Setting(
              name = "traces.per_thousand",
              fallback = "10",
              min = 0,
              max = 1000,
              doc =
                  "Of how many in a thousand requests a span is sent, if no trusted proxy has"
                      + " decided it with `traceparent`.")
          int perThousand) {}

  public record Proxies(
      @Setting(
              name = "server.trusted_proxies",
              doc =
                  "Addresses and networks of the proxies in front, which may report the "
                      + "caller's address.")
          List<AddressBlock> trusted,
      @Setting(
              name = "server.forwarded_header",
              fallback = "x-forwarded-for",
              words = {"x-forwarded-for", "forwarded"},
              doc = "The header in which these proxies report the caller's address.")
          String header,
      @Setting(
              name = "server.proxy_protocol",
              fallback = "off",
              doc =
                  "Whether these proxies begin every connection with a PROXY header; other "
                      + "connections are then refused.")
          boolean proxyProtocol) {}

  /// The server's secrets.
  public record Keys(
      @Setting(
              name = "operator_token",
              doc =
                  "Bearer token of scripts for the admin API, which belongs to no operator; `up`"
                      + " creates one and keeps it.")
          Secret operatorToken,
      @Setting(
              name = "master_secret",
              doc =
                  "Signing keys as `id:hex`, newest first, from `keys new`; `up` creates "
                      + "one and keeps it.")
          Secret master) {}

  /// The stores of the server's state.
  public record Stores(Engines engines, Redis redis, Database database, Kafka kafka) {}

  /// What holds for Redis and PostgreSQL.
  public record Engines(
      @Setting(
              name = "engines.wait_seconds",
              fallback = "30",
              min = 1,
              max = 3600,
              doc =
                  "How long `serve` at its start, `doctor`, `backup` and `explain` wait for an"
                      + " engine that does not answer, and ask it again.")
          int waitSeconds,
      @Setting(
              name = "engines.unchecked",
              fallback = "refused",
              words = {"refused", "accepted"},
              doc =
                  "With `accepted`, `serve` starts although it could not check whether the engines"
                      + " are safe to sell on.")
          String unchecked) {
    public EngineWait engineWait() {
      return new EngineWait(Duration.ofSeconds(waitSeconds));
    }

    /// Whether `serve` starts without having checked the engines.
    public boolean startsUnchecked() {
      return unchecked.equals("accepted");
    }
  }

  /// Redis or Valkey.
  public record Redis(
      @Setting(
              name = "redis.url",
              schemes = {"redis", "rediss", "unix"},
              aliases = "REDIS_URL",
              doc =
                  "Redis or Valkey 7 or later for `serve`; `rediss` encrypts. `up` starts its own.")
          Secret url,
      RedisTls tls,
      @Setting(
              name = "redis.mode",
              fallback = "standalone",
              words = {"standalone", "cluster"},
              doc =
                  "Whether `redis.url` is a node of a Redis Cluster:"
                      + " docs/operate/redis-cluster.md.")
          String mode,
      @Setting(
              name = "redis.nodes",
              values = "list",
              doc =
                  "Other nodes of the cluster (`host:port`), used if the one in `redis.url` is"
                      + " away.")
          List<String> nodes,
      @Setting(
              name = "redis.durability",
              fallback = "local",
              words = {"local", "replicated"},
              doc =
                  "When a purchase or a payment is answered: once the primary has it, or once a"
                      + " replica has it too, so that a lost machine loses none:"
                      + " docs/operate/replication.md.")
          String durability,
      @Setting(
              name = "redis.outbox_limit",
              fallback = "1000000",
              min = 1,
              max = 100_000_000,
              doc =
                  "How many events may wait in Redis for the ledger, at about 400 bytes each; with"
                      + " more, nothing new is sold.")
          int outboxLimit,
      @Setting(
              name = "redis.fsync",
              fallback = "always",
              words = {"always", "everysec"},
              doc =
                  "When the Redis of `up` syncs its append-only file: before each reply, or "
                      + "once a second.")
          String fsync,
      @Setting(
              name = "redis.program",
              fallback = "auto",
              words = {"auto", "bundled"},
              doc =
                  "The Redis of `up`: `auto` takes the newest `valkey-server` or "
                      + "`redis-server` of this machine that can read the data, else the bundled "
                      + "one; `bundled` always takes the bundled one.")
          String program) {
    /// Whether an answer waits for a replica.
    public boolean replicated() {
      return durability.equals("replicated");
    }

    /// Whether it is a cluster, in which all keys of a sale share a slot.
    public boolean cluster() {
      return mode.equals("cluster");
    }

    /// Whether the embedded Redis syncs before each reply.
    public boolean fsyncAlways() {
      return fsync.equals("always");
    }

    /// Whether the embedded Redis is always the bundled program, even when a faster one is
    /// installed.
    public boolean bundled() {
      return program.equals("bundled");
    }
  }

  /// The files for `rediss`.
  public record RedisTls(
      @Setting(
              name = "redis.ca_file",
              values = "file",
              doc =
                  "Certificates (PEM) that sign Redis' certificate; without it, those that Java trusts.")
          String authorities,
      @Setting(
              name = "redis.cert_file",
              values = "file",
              doc = "Client certificate (PEM) for Redis.")
          String certificate,
      @Setting(
              name = "redis.key_file",
              values = "file",
              doc = "Private key (PEM, PKCS #8, not encrypted) of the client certificate.")
          String key) {
    public TlsFiles files() {
      return new TlsFiles(authorities, certificate, key);
    }
  }

  public record Database(
      @Setting(
              name = "database.url",
              schemes = {"postgres", "postgresql"},
              aliases = "DATABASE_URL",
              doc =
                  "PostgreSQL for `serve`; `?sslmode=require` encrypts, `verify-full` also checks"
                      + " the certificate. `up` starts its own.")
          Secret url,
      DatabaseTls tls,
      @Setting(
              name = "database.pool_size",
              fallback = "8",
              min = 1,
              max = 500,
              doc =
                  "Maximum number of connections per node. Background jobs use at most half of"
                      + " them.")
          int poolSize) {}

  /// The files for `sslmode`.
  public record DatabaseTls(
      @Setting(
              name = "database.ca_file",
              values = "file",
              doc =
                  "Certificates (PEM) that sign PostgreSQL's certificate; without it, those that Java trusts.")
          String authorities,
      @Setting(
              name = "database.cert_file",
              values = "file",
              doc = "Client certificate (PEM) for PostgreSQL.")
          String certificate,
      @Setting(
              name = "database.key_file",
              values = "file",
              doc = "Private key (PEM, PKCS #8, not encrypted) of the client certificate.")
          String key) {
    public TlsFiles files() {
      return new TlsFiles(authorities, certificate, key);
    }
  }

  public record Kafka(
      @Setting(
              name = "kafka.bootstrap_servers",
              values = "list of host:port",
              aliases = "KAFKA_BOOTSTRAP_SERVERS",
              doc =
                  "Kafka brokers; orders then go through the topic `fairgate.orders` on "
                      + "their way to PostgreSQL.")
          KafkaLog.Settings bootstrap,
      @Setting(
              name = "kafka.client_file",
              values = "file",
              doc =
                  "Properties of the Kafka client, such as `security.protocol` and "
                      + "`sasl.jaas.config`.")
          String clientFile) {
    /// `host:port` of the brokers; empty without Kafka.
    public List<String> servers() {
      return bootstrap.servers();
    }
  }

  /// Retention of the audit log.
  public record Audit(
      @Setting(
              name = "audit.traffic_days",
              fallback = "90",
              min = 1,
              max = 3_650,
              doc = "How long the audit log keeps joins, admissions, tokens and refusals.")
          int trafficDays,
      @Setting(
              name = "audit.record_days",
              fallback = "1095",
              min = 1,
              max = 36_500,
              doc = "How long the audit log keeps purchases, claims, bans and operators' actions.")
          int recordDays) {}

  public record Pages(
      @Setting(
              name = "default_language",
              fallback = "zh-Hant",
              words = {"zh-Hant", "zh-Hans", "en"},
              doc =
                  "Language of callers that name none, and of groups in LINE. Callers that name "
                      + "only unsupported languages get English.")
          String defaultLanguage,
      @Setting(
              name = "contact",
              values = "e-mail or web address",
              doc = "Contact of the shop, shown on all pages and to refused visitors.")
          String contact,
      Shop shop) {}

  public record Shop(
      @Setting(name = "shop.name", fallback = "Fairgate", doc = "The shop's name on all pages.")
          String name,
      @Setting(
              name = "shop.time_zone",
              fallback = "UTC",
              values = "time zone such as Asia/Taipei",
              doc =
                  "The time zone of the shop and its events: of the times on pages and tickets, and "
                      + "the default of the other time zones.")
          ZoneId timeZone,
      @Setting(
              name = "shop.logo_url",
              schemes = {"https"},
              doc = "The shop's logo, shown 24 pixels high beside its name.")
          String logoUrl,
      @Setting(
              name = "shop.color",
              values = "color",
              doc =
                  "The color of buttons and links, such as `#0b3d91`. It is made darker or lighter "
                      + "where text would not be readable.")
          String color,
      @Setting(
              name = "shop.terms_url",
              schemes = {"https"},
              doc = "The shop's terms, linked from all pages.")
          String termsUrl,
      @Setting(
              name = "shop.privacy_url",
              schemes = {"https"},
              doc = "The shop's privacy notice, linked from all pages.")
          String privacyUrl,
      @Setting(
              name = "shop.imprint_url",
              schemes = {"https"},
              doc = "The page about the shop's operator, linked from all pages.")
          String imprintUrl) {}

  public record Operators(
      @Setting(
              name = "operators.shared_token_role",
              fallback = "owner",
              words = {"checkin", "viewer", "support", "seller", "owner"},
              doc = "What `operator_token` permits.")
          String sharedTokenRole,
      @Setting(
              name = "operators.session_idle_minutes",
              fallback = "60",
              min = 5,
              max = 1_440,
              doc = "How long an operator stays signed in without a request.")
          int idleMinutes,
      @Setting(
              name = "operators.session_hours",
              fallback = "12",
              min = 1,
              max = 168,
              doc = "How long an operator stays signed in at most.")
          int hours,
      @Setting(
              name = "operators.oidc_issuer",
              schemes = {"http", "https"},
              doc =
                  "Issuer of the OpenID Connect provider at which operators may sign in, such as "
                      + "the one of their company; empty for none.")
          String oidcIssuer,
      @Setting(
              name = "operators.oidc_client_id",
              doc = "Client id at that provider. Its callback is `/console/oidc/callback`.")
          String oidcClientId,
      @Setting(name = "operators.oidc_client_secret", doc = "Client secret at that provider.")
          Secret oidcClientSecret,
      @Setting(
              name = "operators.oidc_label",
              fallback = "OpenID Connect",
              doc = "The provider's name on the button.")
          String oidcLabel,
      @Setting(
              name = "operators.oidc_domains",
              values = "list of domain=role",
              doc =
                  "Mail domains whose people become operators with this role (`viewer`, `support` "
                      + "or `seller`) when they first sign in with a verified address; by "
                      + "default only operators who have linked their account get in.")
          List<String> oidcDomains,
      @Setting(
              name = "operators.base_url",
              schemes = {"http", "https"},
              doc =
                  "The console's public address for the provider's callback; `sign_in.base_url` by "
                      + "default.")
          String baseUrl) {}
}
