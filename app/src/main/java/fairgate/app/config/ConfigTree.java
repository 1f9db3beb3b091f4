package fairgate.app.config;

import fairgate.app.config.FairgateConfig.Audit;
import fairgate.app.config.FairgateConfig.Bans;
import fairgate.app.config.FairgateConfig.Challenge;
import fairgate.app.config.FairgateConfig.Channels;
import fairgate.app.config.FairgateConfig.ClaimLimits;
import fairgate.app.config.FairgateConfig.Database;
import fairgate.app.config.FairgateConfig.Gate;
import fairgate.app.config.FairgateConfig.Kafka;
import fairgate.app.config.FairgateConfig.Keys;
import fairgate.app.config.FairgateConfig.Limits;
import fairgate.app.config.FairgateConfig.Line;
import fairgate.app.config.FairgateConfig.LineLocks;
import fairgate.app.config.FairgateConfig.Links;
import fairgate.app.config.FairgateConfig.OrderSignature;
import fairgate.app.config.FairgateConfig.OrderSystem;
import fairgate.app.config.FairgateConfig.Payment;
import fairgate.app.config.FairgateConfig.ProcessingLock;
import fairgate.app.config.FairgateConfig.Proxies;
import fairgate.app.config.FairgateConfig.Redeem;
import fairgate.app.config.FairgateConfig.Redis;
import fairgate.app.config.FairgateConfig.Server;
import fairgate.app.config.FairgateConfig.Stores;
import fairgate.app.config.FairgateConfig.Webhooks;
import fairgate.gate.challenge.CrowdLevel;
import fairgate.gate.limit.LimitDefaults;
import java.util.stream.Collectors;

/// Builds the typed tree of all settings from their checked values.
final class ConfigTree {
  private ConfigTree() {}

  static FairgateConfig of(ConfigValues values) {
    return new FairgateConfig(
        values.path("data_dir"),
        server(values),
        new Keys(values.secret("operator_token"), values.secret("master_secret")),
        stores(values),
        gate(values),
        new Audit(values.whole("audit.traffic_days"), values.whole("audit.record_days")),
        payment(values),
        channels(values),
        redeem(values),
        links(values),
        new FairgateConfig.Pages(values.text("default_language"), values.text("contact")));
  }

  private static Server server(ConfigValues values) {
    return new Server(
        values.text("server.host"),
        values.whole("server.port"),
        values.whole("server.max_connections"),
        values.isOn("demo"),
        new Proxies(
            values.blocks("server.trusted_proxies"),
            values.text("server.forwarded_header"),
            values.isOn("server.proxy_protocol")),
        values.text("server.metrics").equals("loopback"));
  }

  private static Stores stores(ConfigValues values) {
    return new Stores(
        new Redis(
            values.secret("redis.url"),
            values.text("redis.mode").equals("cluster"),
            values.list("redis.nodes"),
            values.text("redis.fsync").equals("always"),
            values.text("redis.program").equals("bundled")),
        new Database(values.secret("database.url"), values.whole("database.pool_size")),
        new Kafka(values.list("kafka.bootstrap_servers"), values.text("kafka.client_file")));
  }

  private static Gate gate(ConfigValues values) {
    return new Gate(
        new Challenge(
            values.text("challenge.provider"),
            values.text("challenge.site_key"),
            values.secret("challenge.secret"),
            values.list("challenge.hostnames"),
            values.text("challenge.turnstile_url"),
            values.text("challenge.hcaptcha_url"),
            values.isOn("challenge.strict"),
            values.whole("challenge.altcha_cost"),
            CrowdLevel.list(values.text("challenge.altcha_crowd"))),
        limits(values),
        new Bans(
            values.text("bans.asn_database"),
            values.text("bans.crowdsec_url"),
            values.secret("bans.crowdsec_key")),
        values.list("signatures.required_for"));
  }

  private static Limits limits(ConfigValues values) {
    return new Limits(
        values.isOn("limits"),
        LimitDefaults.ALL.stream()
            .map(LimitDefaults.Entry::name)
            .collect(Collectors.toMap(name -> name, name -> values.text("limit." + name))),
        values.whole("limit.concurrent"),
        values.whole("limit.streams"),
        values.whole("limit.budget_ms"));
  }

  private static Payment payment(ConfigValues values) {
    return new Payment(
        values.text("payment.provider"),
        values.text("payment.sandbox_in_production").equals("accepted"),
        values.list("payment.secret").stream().map(Secret::new).toList(),
        values.text("payment.checkout_url"),
        values.text("payment.close_url"),
        values.text("payment.refund_url"));
  }

  private static Channels channels(ConfigValues values) {
    return new Channels(
        line(values),
        new OrderSystem(
            values.text("order_system.url"),
            values.secret("order_system.token"),
            values.whole("order_system.timeout_ms")),
        new ProcessingLock(
            values.isOn("processing_lock.enabled"),
            values.whole("processing_lock.timeout_seconds"),
            values.whole("processing_lock.limit_seconds")),
        values.text("weather.url"),
        new Webhooks(
            values.text("webhooks.url"),
            values.list("webhooks.secret").stream().map(Secret::new).toList()),
        values.text("identity.provider"));
  }

  private static Redeem redeem(ConfigValues values) {
    return new Redeem(
        values.text("redeem.code_mask"),
        values.text("redeem.platforms"),
        values.isOn("redeem.uniform_errors"),
        new OrderSignature(
            values.isOn("redeem.signature"),
            values.list("redeem.signature_keys").stream().map(Secret::new).toList(),
            values.isOn("redeem.plain_signature")),
        new ClaimLimits(
            values.whole("redeem.claims_per_minute"),
            values.whole("redeem.claims_per_day"),
            values.whole("redeem.claims_per_order"),
            values.whole("redeem.misses_per_hour"),
            values.whole("redeem.ban_after_misses"),
            values.whole("redeem.ban_minutes")),
        values.whole("redeem.failures_days"));
  }

  private static Line line(ConfigValues values) {
    return new Line(
        values.text("line.api_url"),
        values.list("line.channel_secret").stream().map(Secret::new).toList(),
        values.secret("line.channel_token"),
        values.text("line.shop_url"),
        values.whole("line.push_quota"),
        values.whole("line.lease_seconds"),
        new LineLocks(
            values.whole("line.lock_text_seconds"),
            values.whole("line.lock_location_seconds"),
            values.whole("line.lock_postback_seconds"),
            values.list("line.lock_exempt")));
  }

  private static Links links(ConfigValues values) {
    return new Links(
        values.text("links.base_url"),
        values.text("links.anonymous"),
        values.text("links.deny_list"),
        values.whole("links.miss_per_minute"),
        values.whole("links.most_per_owner"),
        values.whole("links.cached"),
        values.text("links.time_zone"),
        values.whole("links.click_interval_ms"));
  }
}
