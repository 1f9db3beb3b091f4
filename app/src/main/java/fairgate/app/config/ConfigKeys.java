package fairgate.app.config;

import fairgate.app.config.ConfigKind.Blocks;
import fairgate.app.config.ConfigKind.Choice;
import fairgate.app.config.ConfigKind.Flag;
import fairgate.app.config.ConfigKind.IntRange;
import fairgate.app.config.ConfigKind.Parsed;
import fairgate.app.config.ConfigKind.SecretText;
import fairgate.app.config.ConfigKind.Text;
import fairgate.app.config.ConfigKind.Url;
import fairgate.gate.challenge.CrowdLevel;
import fairgate.gate.limit.LimitDefaults;
import fairgate.platform.events.KafkaSettings;
import java.util.List;
import java.util.stream.Stream;

/// All settings. `docs/operate/config.md` is generated from this table.
final class ConfigKeys {
  static final Url WEB = new Url(List.of("http", "https"), false);

  private static final List<ConfigKey> PLAIN =
      List.of(
          key(
              "data_dir",
              new Text("folder"),
              "./data",
              "Folder for data, logs and secrets of `up`. A node of `serve` keeps its name "
                  + "there if the folder exists."),
          key(
              "operator_token",
              new SecretText(),
              "",
              "Bearer token for the admin API; `up` creates one and keeps it."),
          key(
              "master_secret",
              new SecretText(),
              "",
              "Signing keys as `id:hex`, newest first, from `keys new`; `up` creates one and "
                  + "keeps it."),
          key(
              "limits",
              new Flag(),
              "on",
              "Rate limits; off is for load tests and refused by `serve`."),
          key(
              "default_language",
              new Choice(List.of("zh-Hant", "zh-Hans", "en")),
              "zh-Hant",
              "Language of callers that name none. Callers that name only unsupported "
                  + "languages get English."),
          key(
              "contact",
              new Text("e-mail or web address"),
              "",
              "Contact for refused visitors, shown with the case number."),
          key("demo", new Flag(), "on", "Whether `up` creates a demo sale in empty data."),
          key("server.host", new Text("address"), "127.0.0.1", "The address to listen on."),
          key(
              "server.port",
              new IntRange(0, 65535),
              "8080",
              "The port to listen on; 0 chooses a free one.",
              "FAIRGATE_PORT"),
          key(
              "server.max_connections",
              new IntRange(10, 1_000_000),
              "50000",
              "Maximum number of connections; lower if the system limits open files."),
          key(
              "server.trusted_proxies",
              new Blocks(),
              "",
              "Addresses and networks of the proxies in front, which may report the caller's "
                  + "address."),
          key(
              "server.forwarded_header",
              new Choice(List.of("x-forwarded-for", "forwarded")),
              "x-forwarded-for",
              "The header in which these proxies report the caller's address."),
          key(
              "server.proxy_protocol",
              new Flag(),
              "off",
              "Whether these proxies begin every connection with a PROXY header; other "
                  + "connections are then refused."),
          key(
              "server.metrics",
              new Choice(List.of("loopback", "token")),
              "loopback",
              "Access to `/metrics` and to details in `/health/ready` without the operator "
                  + "token: `loopback` allows programs on this machine if no proxy is configured; "
                  + "`token` allows nobody."),
          key(
              "redis.url",
              new Url(List.of("redis", "rediss", "unix"), true),
              "",
              "Redis or Valkey 7 or later for `serve`; `up` starts its own.",
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
              "Other nodes of the cluster (`host:port`), used if the one in `redis.url` is "
                  + "away."),
          key(
              "redis.fsync",
              new Choice(List.of("always", "everysec")),
              "always",
              "When the Redis of `up` syncs its append-only file: before each reply, or once "
                  + "a second."),
          key(
              "redis.program",
              new Choice(List.of("auto", "bundled")),
              "auto",
              "The Redis of `up`: `auto` takes the newest `valkey-server` or `redis-server` of this"
                  + " machine that can read the data, else the bundled one; `bundled` always takes"
                  + " the bundled one."),
          key(
              "database.url",
              new Url(List.of("postgres", "postgresql"), true),
              "",
              "PostgreSQL for `serve`; `up` starts its own.",
              "DATABASE_URL"),
          key(
              "database.pool_size",
              new IntRange(1, 500),
              "8",
              "Maximum number of connections per node."),
          key(
              "challenge.provider",
              new Choice(List.of("altcha", "turnstile", "hcaptcha", "test")),
              "altcha",
              "The challenge that tells people from bots; `test` is refused by `serve`.",
              "FAIRGATE_CHALLENGE"),
          key("challenge.site_key", new Text("text"), "", "The provider's public key."),
          key("challenge.secret", new SecretText(), "", "The provider's secret key."),
          key(
              "challenge.hostnames",
              new Text("list"),
              "",
              "Host names whose tokens are accepted, separated by commas; empty accepts all."),
          key(
              "challenge.turnstile_url",
              WEB,
              "https://challenges.cloudflare.com",
              "Address at which Turnstile's tokens are verified.",
              "FAIRGATE_TURNSTILE_URL"),
          key(
              "challenge.hcaptcha_url",
              WEB,
              "https://api.hcaptcha.com",
              "Address at which hCaptcha's tokens are verified."),
          key(
              "challenge.strict",
              new Flag(),
              "off",
              "Whether a widget's token must contain its action, session and time. Otherwise "
                  + "they must only be correct if present."),
          key(
              "challenge.altcha_cost",
              new IntRange(1, 1_000_000),
              "16",
              "Hash rounds per attempt of the proof of work; more rounds cost bots and people "
                  + "more time."),
          key(
              "bans.asn_database",
              new Text("file"),
              "",
              "An mmdb file with AS numbers, for bans by `asn`; reloaded when it changes."),
          key("bans.crowdsec_url", WEB, "", "A CrowdSec local API whose bans are applied."),
          key(
              "bans.crowdsec_key",
              new SecretText(),
              "",
              "The API key of a bouncer registered there, one per node."),
          key(
              "challenge.altcha_crowd",
              new Parsed("list of pairs", CrowdLevel::list),
              "200:2,1000:4",
              "Cost factors by load: `200:2` doubles the cost above 200 challenges per second "
                  + "on this node; `none` disables them."),
          key(
              "signatures.required_for",
              new Text("list"),
              "",
              "Routes whose calls must be signed with an API key, such as `POST "
                  + "/api/purchase` or `/api/admin/*`. Page forms with the same effect cannot be "
                  + "signed and are refused."),
          key(
              "audit.traffic_days",
              new IntRange(1, 3_650),
              "90",
              "How long the audit log keeps joins, admissions, tokens and refusals."),
          key(
              "audit.record_days",
              new IntRange(1, 36_500),
              "1095",
              "How long the audit log keeps purchases, claims, bans and operators' actions."),
          key(
              "payment.provider",
              new Choice(List.of("sandbox", "webhook")),
              "sandbox",
              "The payment provider; `sandbox` moves no money and is refused by `serve`.",
              "FAIRGATE_PAYMENT"),
          key(
              "payment.sandbox_in_production",
              new Choice(List.of("refused", "accepted")),
              "refused",
              "With `accepted`, `serve` runs with the sandbox, where every buyer can mark an order"
                  + " as paid without paying."),
          key(
              "payment.secret",
              new SecretText(),
              "",
              "Secrets of the provider's webhooks (`whsec_...`), newest first, separated by"
                  + " commas."),
          key(
              "payment.checkout_url",
              WEB,
              "",
              "The provider's payment page for buyers; `{order_id}`, `{amount}` (minor units) "
                  + "and `{currency}` are replaced."),
          key(
              "payment.close_url",
              WEB,
              "",
              "Called to close a payment before its unpaid order is released."),
          key(
              "payment.refund_url",
              WEB,
              "",
              "Called to refund a payment. Without it refunds wait until it is set."),
          key("webhooks.url", WEB, "", "Address for order events; empty sends none."),
          key(
              "webhooks.secret",
              new SecretText(),
              "",
              "Secrets that sign order events (`whsec_...`), newest first, separated by commas."),
          key(
              "kafka.bootstrap_servers",
              new Parsed("list of host:port", KafkaSettings::servers),
              "",
              "Kafka brokers; orders then go through the topic `fairgate.orders` on their way to"
                  + " PostgreSQL.",
              "KAFKA_BOOTSTRAP_SERVERS"),
          key(
              "kafka.client_file",
              new Text("file"),
              "",
              "Properties of the Kafka client, such as `security.protocol` and"
                  + " `sasl.jaas.config`."),
          key(
              "order_system.url",
              WEB,
              "",
              "The seller's order system, asked for orders that were not imported."),
          key("order_system.token", new SecretText(), "", "The order system's access token."),
          key(
              "identity.provider",
              new Choice(List.of("auto", "console", "off")),
              "auto",
              "The service that sends one-time codes and verifies names. `console` writes "
                  + "codes into `secrets/one-time-codes` of the data folder and is refused by "
                  + "`serve`. `auto` is `console` in `up` and `off` in `serve`."),
          key(
              "order_system.timeout_ms",
              new IntRange(100, 8_000),
              "3000",
              "Timeout of calls to the order system, in milliseconds."));

  static final List<ConfigKey> ALL =
      Stream.of(PLAIN.stream(), LinkAndRedeemKeys.ALL.stream(), ChannelKeys.ALL.stream(), limits())
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
                new IntRange(1, 100_000),
                "10",
                "Maximum number of concurrent requests per address on a node."),
            key(
                "limit.streams",
                new IntRange(1, 100_000),
                "10",
                "Maximum number of open event streams per address on a node."),
            key(
                "limit.budget_ms",
                new IntRange(1, 10_000),
                "250",
                "Timeout of a limit check in Redis, in milliseconds.")));
  }

  static ConfigKey key(
      String name, ConfigKind kind, String fallback, String doc, String... aliases) {
    return new ConfigKey(name, kind, fallback, List.of(aliases), doc);
  }
}
