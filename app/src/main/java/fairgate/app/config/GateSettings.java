package fairgate.app.config;

import fairgate.gate.challenge.AltchaConfig.CostLevel;
import fairgate.platform.feature.Secret;
import fairgate.platform.feature.Setting;
import java.util.List;
import java.util.Map;

/// The gate.
public record GateSettings(
    Challenge challenge,
    Limits limits,
    Bans bans,
    Risk risk,
    Networks networks,
    Signals signals,
    @Setting(
            name = "signatures.required_for",
            values = "list",
            doc =
                "Routes whose calls must be signed with an API key, such as `POST "
                    + "/api/purchase` or `/api/admin/*`. Page forms with the same effect cannot "
                    + "be signed and are refused.")
        List<String> signedRoutes) {
  /// The challenge against bots.
  public record Challenge(
      @Setting(
              name = "challenge.provider",
              fallback = "altcha",
              words = {"altcha", "turnstile", "hcaptcha", "test"},
              aliases = "FAIRGATE_CHALLENGE",
              doc = "The challenge that tells people from bots; `test` is refused by `serve`.")
          String provider,
      @Setting(name = "challenge.site_key", doc = "The provider's public key.") String siteKey,
      @Setting(name = "challenge.secret", doc = "The provider's secret key.") Secret secret,
      @Setting(
              name = "challenge.hostnames",
              values = "list",
              doc = "Host names whose tokens are accepted, separated by commas; empty accepts all.")
          List<String> hostnames,
      @Setting(
              name = "challenge.turnstile_url",
              fallback = "https://challenges.cloudflare.com",
              schemes = {"http", "https"},
              aliases = "FAIRGATE_TURNSTILE_URL",
              doc = "Address at which Turnstile's tokens are verified.")
          String turnstileUrl,
      @Setting(
              name = "challenge.hcaptcha_url",
              fallback = "https://api.hcaptcha.com",
              schemes = {"http", "https"},
              doc = "Address at which hCaptcha's tokens are verified.")
          String hcaptchaUrl,
      @Setting(
              name = "challenge.strict",
              fallback = "off",
              doc =
                  "Whether a widget's token must contain its action, session and time. "
                      + "Otherwise they must only be correct if present.")
          boolean strict,
      @Setting(
              name = "challenge.altcha_cost",
              fallback = "16",
              min = 1,
              max = 1_000_000,
              doc =
                  "Hash rounds per attempt of the proof of work; more rounds cost bots and "
                      + "people more time.")
          int altchaCost,
      @Setting(
              name = "challenge.altcha_crowd",
              fallback = "200:2",
              values = "list of pairs",
              doc =
                  "Cost factors by load: `200:2` doubles the cost above 200 challenges per "
                      + "second on this node; `none` disables them.")
          List<CostLevel> altchaCrowd,
      @Setting(
              name = "challenge.altcha_network",
              fallback = "10:2,25:4",
              values = "list of pairs",
              doc =
                  "Cost factors by the challenges that one network (/24 of IPv4, /56 of IPv6) has "
                      + "solved for the product in the last ten to twenty minutes on this node: "
                      + "`10:2` doubles the cost above 10; `none` disables them.")
          List<CostLevel> altchaNetwork,
      @Setting(
              name = "challenge.altcha_max_factor",
              fallback = "4",
              min = 1,
              max = 64,
              doc =
                  "Maximum of both cost factors together. With the default, a slow telephone "
                      + "solves a challenge within about 3 s on average.")
          int altchaMaxFactor) {}

  public record Risk(
      @Setting(
              name = "risk.mode",
              fallback = "enforce",
              words = {"off", "observe", "enforce"},
              doc =
                  "Whether the risk of joins, purchases and claims takes effect (`enforce`), is only "
                      + "recorded (`observe`), or is not judged (`off`).")
          String mode,
      @Setting(
              name = "risk.bundle",
              values = "file",
              doc =
                  "A bundle of rules in JSON that is published and activated instead of the built-in"
                      + " one while no version of the policy is active.")
          String bundle,
      @Setting(
              name = "risk.skip_challenge",
              fallback = "on",
              doc =
                  "Whether a join passes without a challenge when the action of its band is `pass`.")
          boolean skipsChallenge,
      @Setting(
              name = "risk.keep_days",
              fallback = "30",
              min = 1,
              max = 3_650,
              doc = "Days after which recorded decisions and their outcomes are deleted.")
          int keepDays,
      @Setting(
              name = "risk.waiting",
              fallback = "20000",
              min = 100,
              max = 1_000_000,
              doc =
                  "Decisions that may wait on a node to be recorded; further ones are dropped and "
                      + "counted.")
          int waiting) {}

  /// Rate limits.
  ///
  /// @param rules texts such as `5/s`, by name of the limit: a setting for each entry of
  ///   `LimitDefaults`
  public record Limits(
      @Setting(
              name = "limits",
              fallback = "on",
              doc = "Rate limits; off is for load tests and refused by `serve`.")
          boolean on,
      Map<String, String> rules,
      @Setting(
              name = "limit.concurrent",
              fallback = "10",
              min = 1,
              max = 100_000,
              doc = "Maximum number of concurrent requests per address on a node.")
          int concurrent,
      @Setting(
              name = "limit.streams",
              fallback = "10",
              min = 1,
              max = 100_000,
              doc = "Maximum number of open event streams per address on a node.")
          int streams,
      @Setting(
              name = "limit.budget_ms",
              fallback = "250",
              min = 1,
              max = 10_000,
              doc = "Timeout of a limit check in Redis, in milliseconds.")
          int budgetMs) {}

  public record Bans(
      @Setting(
              name = "bans.asn_database",
              values = "file",
              doc = "An mmdb file with AS numbers, for bans by `asn`; reloaded when it changes.")
          String asnDatabase,
      @Setting(
              name = "bans.crowdsec_url",
              schemes = {"http", "https"},
              doc = "A CrowdSec local API whose bans are applied.")
          String crowdsecUrl,
      @Setting(
              name = "bans.crowdsec_key",
              doc = "The API key of a bouncer registered there, one per node.")
          Secret crowdsecKey) {}

  public record Networks(
      @Setting(
              name = "networks.country_database",
              values = "file",
              doc = "An mmdb file with countries, for bans by `country`; reloaded when it changes.")
          String countryDatabase,
      @Setting(
              name = "networks.anonymous_database",
              values = "file",
              doc = "An mmdb file with proxies, VPNs and Tor exits; reloaded when it changes.")
          String anonymousDatabase,
      @Setting(
              name = "networks.hosting_asns",
              values = "list",
              doc =
                  "AS numbers of hosting providers, separated by commas, besides those that the "
                      + "file in `bans.asn_database` marks.")
          List<String> hostingAsns,
      @Setting(
              name = "networks.mobile_asns",
              values = "list",
              doc = "AS numbers of mobile carriers, whose addresses many people share.")
          List<String> mobileAsns) {}

  /// Evidence for the risk score.
  public record Signals(
      @Setting(
              name = "signals.ja4_header",
              doc =
                  "Header in which a trusted proxy reports the JA4 fingerprint of its client's TLS "
                      + "handshake, such as `X-JA4`. The proxy must replace what clients send.")
          String ja4Header,
      @Setting(
              name = "signals.ja4_clients",
              values = "list",
              doc =
                  "Known JA4 fingerprints as `client:beginning`, separated by commas; clients are "
                      + "`chromium`, `firefox`, `safari`, or a name for anything else.")
          List<String> ja4Clients,
      @Setting(
              name = "signals.header_order_header",
              doc = "Header in which a trusted proxy reports a hash of the order of headers.")
          String headerOrderHeader,
      @Setting(
              name = "signals.header_orders",
              values = "list",
              doc = "Known hashes of header orders, as in `signals.ja4_clients`.")
          List<String> headerOrders,
      @Setting(
              name = "signals.http_version_header",
              doc = "Header in which a trusted proxy reports its client's HTTP version.")
          String httpVersionHeader,
      @Setting(
              name = "signals.fingerprint",
              fallback = "off",
              doc =
                  "Whether the page sends a hash of canvas, fonts, screen and user agent, kept as a "
                      + "keyed hash per sale for a day.")
          boolean fingerprint,
      @Setting(
              name = "signals.behavior",
              fallback = "on",
              doc =
                  "Whether the page of a sale counts how it is used before the join (time, movement, "
                      + "presses, keys, focus) and sends these numbers with the join.")
          boolean behavior,
      @Setting(
              name = "signals.alarm_failures",
              fallback = "300",
              min = 1,
              max = 1_000_000,
              doc =
                  "Refused requests of one address, browser or fingerprint in ten minutes from "
                      + "which it counts in `fairgate_clients_over_alarm`.")
          int alarmFailures) {}
}
