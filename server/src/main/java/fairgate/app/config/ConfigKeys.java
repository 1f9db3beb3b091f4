package fairgate.app.config;

import fairgate.app.config.ConfigKind.Blocks;
import fairgate.app.config.ConfigKind.Choice;
import fairgate.app.config.ConfigKind.Hidden;
import fairgate.app.config.ConfigKind.Spelled;
import fairgate.app.config.ConfigKind.Switch;
import fairgate.app.config.ConfigKind.Text;
import fairgate.app.config.ConfigKind.Url;
import fairgate.app.config.ConfigKind.Whole;
import fairgate.gate.limit.LimitDefaults;
import fairgate.platform.events.KafkaSettings;
import java.util.List;
import java.util.stream.Stream;

/// Every setting there is. `docs/operate/config.md` is made from this table.
final class ConfigKeys {
  static final Url WEB = new Url(List.of("http", "https"), false);

  private static final List<ConfigKey> PLAIN =
      List.of(
          key(
              "data_dir",
              new Text("folder"),
              "./data",
              "Where `up` keeps its data, logs and secrets."),
          key(
              "operator_token",
              new Hidden(),
              "",
              "Bearer token of the first operator; `up` makes one and keeps it."),
          key(
              "master_secret",
              new Hidden(),
              "",
              "Signing keys as `id:hex`, newest first, made by `keys new`; `up` makes one and keeps"
                  + " it."),
          key(
              "limits",
              new Switch(),
              "on",
              "Rate limits; off is for load tests and refused by `serve`."),
          key("demo", new Switch(), "on", "Whether `up` creates a demo sale in empty data."),
          key("server.host", new Text("address"), "127.0.0.1", "The address to listen on."),
          key(
              "server.port",
              new Whole(0, 65535),
              "8080",
              "The port to listen on; 0 takes a free one.",
              "FAIRGATE_PORT"),
          key(
              "server.max_connections",
              new Whole(10, 1_000_000),
              "50000",
              "The most connections at once; less where the system lets fewer files be open."),
          key(
              "server.trusted_proxies",
              new Blocks(),
              "",
              "Addresses and blocks of the proxies in front, whose word on the caller's address is"
                  + " taken."),
          key(
              "server.forwarded_header",
              new Choice(List.of("x-forwarded-for", "forwarded")),
              "x-forwarded-for",
              "The one header these proxies write the caller's address into."),
          key(
              "server.proxy_protocol",
              new Switch(),
              "off",
              "Whether these proxies begin every connection with a PROXY header; others cannot"
                  + " connect then."),
          key(
              "redis.url",
              new Url(List.of("redis", "rediss", "unix"), true),
              "",
              "Redis or Valkey 7 and later, for `serve`; `up` brings its own.",
              "REDIS_URL"),
          key(
              "redis.mode",
              new Choice(List.of("standalone", "cluster")),
              "standalone",
              "Whether `redis.url` is a node of a Redis Cluster: docs/operate/redis-cluster.md."),
          key(
              "redis.nodes",
              new Text("list"),
              "",
              "Other nodes of the cluster (`host:port`), asked when that of `redis.url` is away."),
          key(
              "redis.fsync",
              new Choice(List.of("always", "everysec")),
              "always",
              "When the Redis of `up` syncs its log: before each answer, or once a second."),
          key(
              "redis.program",
              new Choice(List.of("auto", "bundled")),
              "auto",
              "The Redis of `up`: a `redis-server` 7.0 with jemalloc that this machine has, else the"
                  + " bundled one; or always that."),
          key(
              "database.url",
              new Url(List.of("postgres", "postgresql"), true),
              "",
              "PostgreSQL, for `serve`; `up` brings its own.",
              "DATABASE_URL"),
          key("database.pool_size", new Whole(1, 500), "8", "The most connections of one server."),
          key(
              "challenge.provider",
              new Choice(List.of("altcha", "turnstile", "hcaptcha", "test")),
              "altcha",
              "Who tells people from bots at the door; `test` is refused by `serve`.",
              "FAIRGATE_CHALLENGE"),
          key("challenge.site_key", new Text("text"), "", "The provider's public key."),
          key("challenge.secret", new Hidden(), "", "The provider's secret key."),
          key(
              "challenge.hostnames",
              new Text("list"),
              "",
              "Host names whose tokens are accepted, separated by commas; none accepts any."),
          key(
              "challenge.turnstile_url",
              WEB,
              "https://challenges.cloudflare.com",
              "Where Turnstile's tokens are checked.",
              "FAIRGATE_TURNSTILE_URL"),
          key(
              "challenge.hcaptcha_url",
              WEB,
              "https://api.hcaptcha.com",
              "Where hCaptcha's tokens are checked."),
          key(
              "challenge.strict",
              new Switch(),
              "off",
              "Whether a widget's token must name its action, session and time, not only name them"
                  + " rightly."),
          key(
              "challenge.altcha_cost",
              new Whole(1, 1_000_000),
              "16",
              "Hash rounds of each try at the proof of work; more is dearer for bots and people."),
          key(
              "bans.asn_database",
              new Text("file"),
              "",
              "An mmdb file with network operators' numbers, for bans by `asn`; read again when it"
                  + " changes."),
          key("bans.crowdsec_url", WEB, "", "A CrowdSec local API whose bans apply here as well."),
          key(
              "bans.crowdsec_key",
              new Hidden(),
              "",
              "The API key of a bouncer registered there, for this node alone."),
          key(
              "challenge.altcha_crowd",
              new Text("list"),
              "200:2,1000:4",
              "Above so many challenges a second on this node, so many times the cost; none is"
                  + " never."),
          key(
              "signatures.required_for",
              new Text("list"),
              "",
              "Routes whose calls have to be signed with an API key, such as `POST /api/purchase` or"
                  + " `/api/admin/*`."),
          key(
              "audit.traffic_days",
              new Whole(1, 3_650),
              "90",
              "How long the audit log keeps joins, admissions, tokens and refusals."),
          key(
              "audit.record_days",
              new Whole(1, 36_500),
              "1095",
              "How long it keeps purchases, claims, bans and what operators did."),
          key(
              "payment.provider",
              new Choice(List.of("sandbox", "webhook")),
              "sandbox",
              "Who takes the money; `sandbox` takes none.",
              "FAIRGATE_PAYMENT"),
          key(
              "payment.secret",
              new Hidden(),
              "",
              "Secrets of the provider's webhooks (`whsec_...`), newest first, separated by"
                  + " commas."),
          key(
              "payment.checkout_url",
              WEB,
              "",
              "The provider's payment page, to which the buyer is sent."),
          key(
              "payment.close_url",
              WEB,
              "",
              "Asked to close a payment before its unpaid order is released."),
          key("payment.refund_url", WEB, "", "Asked to give money back."),
          key("webhooks.url", WEB, "", "Where order events are sent; none is nowhere."),
          key(
              "webhooks.secret",
              new Hidden(),
              "",
              "Secrets that sign order events (`whsec_...`), newest first, separated by commas."),
          key(
              "kafka.bootstrap_servers",
              new Spelled("list of host:port", KafkaSettings::servers),
              "",
              "Kafka brokers; orders then go through the topic `fairgate.orders` on their way to"
                  + " PostgreSQL.",
              "KAFKA_BOOTSTRAP_SERVERS"),
          key(
              "kafka.client_file",
              new Text("file"),
              "",
              "Properties of the Kafka client, such as `security.protocol` and `sasl.jaas.config`."),
          key("order_system.url", WEB, "", "The order system that redeemed orders come from."),
          key("order_system.token", new Hidden(), "", "The order system's access token."),
          key(
              "identity.provider",
              new Choice(List.of("auto", "console", "off")),
              "auto",
              "Who sends one-time codes and knows names; `console` writes codes into the log and is"
                  + " refused by `serve`; `auto` is `console` with `up`, and `off` with `serve`."),
          key(
              "order_system.timeout_ms",
              new Whole(100, 8_000),
              "3000",
              "How long the order system may take for an answer."));

  static final List<ConfigKey> ALL =
      Stream.of(PLAIN.stream(), SideKeys.ALL.stream(), ChannelKeys.ALL.stream(), limits())
          .flatMap(all -> all)
          .toList();

  private ConfigKeys() {}

  private static Stream<ConfigKey> limits() {
    return Stream.concat(
        LimitDefaults.ALL.stream()
            .map(
                limit ->
                    key(
                        "limit." + limit.name(),
                        new ConfigKind.Limit(limit.name()),
                        limit.text(),
                        limit.doc())),
        Stream.of(
            key(
                "limit.concurrent",
                new Whole(1, 100_000),
                "10",
                "Requests one address may have running on a node."),
            key(
                "limit.streams",
                new Whole(1, 100_000),
                "10",
                "Event streams one address may have open on a node."),
            key(
                "limit.budget_ms",
                new Whole(1, 10_000),
                "25",
                "How long Redis may take to judge a call, in milliseconds.")));
  }

  static ConfigKey key(
      String name, ConfigKind kind, String fallback, String doc, String... aliases) {
    return new ConfigKey(name, kind, fallback, List.of(aliases), doc);
  }
}
