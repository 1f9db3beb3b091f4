package fairgate.app.config;

import fairgate.app.config.ConfigKind.Choice;
import fairgate.app.config.ConfigKind.Hidden;
import fairgate.app.config.ConfigKind.Switch;
import fairgate.app.config.ConfigKind.Text;
import fairgate.app.config.ConfigKind.Url;
import fairgate.app.config.ConfigKind.Whole;
import java.util.List;

/// Every setting there is. `docs/operate/config.md` is made from this table.
final class ConfigKeys {
  private static final Url WEB = new Url(List.of("http", "https"), false);

  static final List<ConfigKey> ALL =
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
              "redis.url",
              new Url(List.of("redis", "rediss", "unix"), true),
              "",
              "Redis or Valkey 7 and later, for `serve`; `up` brings its own.",
              "REDIS_URL"),
          key(
              "redis.mode",
              new Choice(List.of("standalone", "cluster")),
              "standalone",
              "How keys are named: in a cluster, all of a sale share a slot."),
          key(
              "redis.fsync",
              new Choice(List.of("always", "everysec")),
              "always",
              "When the Redis of `up` syncs its log: before each answer, or once a second."),
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
              "challenge.altcha_cost",
              new Whole(1, 1_000_000),
              "16",
              "Hash rounds of each try at the proof of work; more is dearer for bots and people."),
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
          key(
              "kafka.bootstrap_servers",
              new Text("list"),
              "",
              "Kafka brokers for the event stream at scale.",
              "KAFKA_BOOTSTRAP_SERVERS"),
          key(
              "processing_lock.enabled",
              new Switch(),
              "on",
              "Whether an actor's messages are handled one at a time.",
              "PROCESSING_LOCK_ENABLED"),
          key(
              "processing_lock.timeout_seconds",
              new Whole(1, 3_600),
              "5",
              "After how long a processing lock ends by itself.",
              "PROCESSING_LOCK_TIMEOUT_SECONDS"),
          key(
              "processing_lock.limit_seconds",
              new Whole(1, 3_600),
              "60",
              "After how long a processing lock is renewed no more, however long its work takes."),
          key("line.api_url", WEB, "https://api.line.me", "The LINE Messaging API."),
          key("line.channel_secret", new Hidden(), "", "The LINE channel's secret."),
          key("line.channel_token", new Hidden(), "", "The LINE channel's access token."),
          key("order_system.url", WEB, "", "The order system that redeemed orders come from."),
          key("order_system.token", new Hidden(), "", "The order system's access token."),
          key(
              "identity.provider",
              new Choice(List.of("auto", "console", "off")),
              "auto",
              "Who sends one-time codes and knows names; `console` writes codes into the log and is"
                  + " refused by `serve`; `auto` is `console` with `up`, and `off` with `serve`."),
          key("weather.url", WEB, "", "The weather service of the LINE channel."));

  private ConfigKeys() {}

  private static ConfigKey key(
      String name, ConfigKind kind, String fallback, String doc, String... aliases) {
    return new ConfigKey(name, kind, fallback, List.of(aliases), doc);
  }
}
