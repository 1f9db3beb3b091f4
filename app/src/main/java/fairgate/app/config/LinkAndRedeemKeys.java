package fairgate.app.config;

import static fairgate.app.config.ConfigKeys.WEB;
import static fairgate.app.config.ConfigKeys.key;

import fairgate.app.config.ConfigKind.Choice;
import fairgate.app.config.ConfigKind.Flag;
import fairgate.app.config.ConfigKind.IntRange;
import fairgate.app.config.ConfigKind.Parsed;
import fairgate.app.config.ConfigKind.SecretText;
import fairgate.app.config.ConfigKind.Text;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.orders.OrderNumberFormats;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;

/// The settings of short links and redemption codes.
final class LinkAndRedeemKeys {
  static final List<ConfigKey> ALL =
      List.of(
          key(
              "links.base_url",
              WEB,
              "",
              "Base of short addresses; empty uses the address the server listens on."),
          key(
              "links.anonymous",
              new Choice(List.of("auto", "on", "off")),
              "auto",
              "Whether a browser without an account may create short links; `auto` allows it "
                  + "in `up` but not in `serve`, where strangers could redirect the shop's domain "
                  + "anywhere. Such links expire after 7 days by default, after 30 at most; "
                  + "`limit.create` counts them by address (IPv6: by /56)."),
          key(
              "links.deny_list",
              new Text("file"),
              "",
              "Hosts that no short link may lead to, with their subdomains, one per line."),
          key(
              "links.miss_per_minute",
              new IntRange(1, 1_000_000),
              "30",
              "Unknown codes that one address may request on one node per minute."),
          key(
              "links.most_per_owner",
              new IntRange(1, 10_000_000),
              "10000",
              "Maximum number of short links of an account, or of a browser without one; "
                  + "expired links count too."),
          key(
              "links.cached",
              new IntRange(100, 10_000_000),
              "100000",
              "Number of links cached in memory."),
          key(
              "links.time_zone",
              new Parsed("time zone such as Asia/Taipei", LinkAndRedeemKeys::zone),
              "UTC",
              "Time zone of the days in click statistics."),
          key(
              "links.click_interval_ms",
              new IntRange(100, 60_000),
              "2000",
              "How often clicks are written, in milliseconds; a crash loses at most those "
                  + "since the last write."),
          key(
              "redeem.code_mask",
              new Parsed("mask", CodeMask::of),
              "MHYDET-XXXXXX-XXXX",
              "Format of codes: a prefix, then groups of X; 7 to 30 X, of which the last one "
                  + "is a check character."),
          key(
              "redeem.platforms",
              new Parsed("list of platforms", OrderNumberFormats::of),
              "",
              "Platforms and the shapes of their order numbers, `name=pattern` separated by "
                  + "spaces; empty means Taobao, Xiaohongshu, Douyin, generic and Fairgate's own."),
          key(
              "redeem.uniform_errors",
              new Flag(),
              "off",
              "Whether every refusal of an order is reported as `ORDER_NOT_FOUND`, with the "
                  + "same response time."),
          key(
              "redeem.signature",
              new Flag(),
              "off",
              "Whether a claim requires a signature by the seller's system."),
          key(
              "redeem.signature_keys",
              new SecretText(),
              "",
              "Keys of order signatures as `id:secret`, separated by commas."),
          key(
              "redeem.plain_signature",
              new Flag(),
              "off",
              "Whether the plain signature of `order_id:product_id`, which never expires, is "
                  + "accepted too."),
          key(
              "redeem.claims_per_minute",
              new IntRange(0, 10_000),
              "10",
              "Claim attempts per address per minute; 0 = unlimited."),
          key(
              "redeem.claims_per_day",
              new IntRange(0, 10_000),
              "20",
              "Claim attempts per device in 24 hours; 0 = unlimited."),
          key(
              "redeem.claims_per_order",
              new IntRange(0, 10_000),
              "30",
              "Claim attempts per order per hour, by all callers; 0 = unlimited."),
          key(
              "redeem.misses_per_hour",
              new IntRange(0, 1_000),
              "10",
              "Failed claim attempts per device per hour before further ones are refused; "
                  + "five times as many per address; 0 = unlimited."),
          key(
              "redeem.ban_after_misses",
              new IntRange(0, 1_000),
              "20",
              "Failed claim attempts per device in 24 hours that lead to a ban; five times as "
                  + "many per address; 0 = no bans."),
          key(
              "redeem.ban_minutes",
              new IntRange(1, 43_200),
              "60",
              "Duration of the ban, in minutes."),
          key(
              "redeem.failures_days",
              new IntRange(1, 3_650),
              "30",
              "How long refused claims are kept, in days."));

  private LinkAndRedeemKeys() {}

  private static ZoneId zone(String text) {
    try {
      return ZoneId.of(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("there is no " + text, e);
    }
  }
}
