package fairgate.app.config;

import static fairgate.app.config.ConfigKeys.WEB;
import static fairgate.app.config.ConfigKeys.key;

import fairgate.app.config.ConfigKind.Hidden;
import fairgate.app.config.ConfigKind.Spelled;
import fairgate.app.config.ConfigKind.Switch;
import fairgate.app.config.ConfigKind.Text;
import fairgate.app.config.ConfigKind.Whole;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.orders.PlatformShapes;
import java.util.List;

/// The settings of what stands beside the sale: short links and redemption codes.
final class SideKeys {
  static final List<ConfigKey> ALL =
      List.of(
          key(
              "links.base_url",
              WEB,
              "",
              "What short addresses begin with; empty takes the host asked."),
          key(
              "links.anonymous",
              new Switch(),
              "on",
              "Whether a browser without an account may make short links."),
          key(
              "links.deny_list",
              new Text("file"),
              "",
              "Hosts no short link may lead to, one a line, with their subdomains."),
          key(
              "links.miss_per_minute",
              new Whole(1, 1_000_000),
              "30",
              "Unknown codes one address may try on one node in any minute."),
          key("links.cached", new Whole(100, 10_000_000), "100000", "Links kept in memory."),
          key(
              "links.click_interval_ms",
              new Whole(100, 60_000),
              "2000",
              "How often clicks are written; a crash loses at most those since the last time."),
          key(
              "redeem.code_mask",
              new Spelled("mask", CodeMask::of),
              "MHYDET-XXXXXX-XXXX",
              "How codes look: a prefix, then groups of X; 7 to 30 X, the last one a check"
                  + " character."),
          key(
              "redeem.platforms",
              new Spelled("list of platforms", PlatformShapes::of),
              "",
              "Platforms and the shapes of their order numbers, `name=pattern` separated by blanks;"
                  + " none means Taobao, Xiaohongshu, Douyin, generic and Fairgate's own."),
          key(
              "redeem.uniform_errors",
              new Switch(),
              "off",
              "Whether everything wrong with an order is told as `ORDER_NOT_FOUND`, after the same"
                  + " time."),
          key(
              "redeem.signature",
              new Switch(),
              "off",
              "Whether a claim needs the signature the seller's system gives its orders."),
          key(
              "redeem.signature_keys",
              new Hidden(),
              "",
              "Keys of order signatures as `id:secret`, separated by commas."),
          key(
              "redeem.plain_signature",
              new Switch(),
              "off",
              "Whether the plain signature of `order_id:product_id`, which never expires, is taken"
                  + " too."),
          key(
              "redeem.claims_per_minute",
              new Whole(0, 10_000),
              "10",
              "Attempts of one address in any minute; 0 is any number."),
          key(
              "redeem.claims_per_day",
              new Whole(0, 10_000),
              "20",
              "Attempts of one device in any 24 hours; 0 is any number."),
          key(
              "redeem.claims_per_order",
              new Whole(0, 10_000),
              "30",
              "Attempts on one order in any hour, by anybody; 0 is any number."),
          key(
              "redeem.misses_per_hour",
              new Whole(0, 1_000),
              "10",
              "Misses of one address or device in any hour, before further attempts are refused; 0"
                  + " is any number."),
          key(
              "redeem.ban_after_misses",
              new Whole(0, 1_000),
              "20",
              "Misses of one address or device in any 24 hours that bar it; 0 bars nobody."),
          key("redeem.ban_minutes", new Whole(1, 43_200), "60", "For how long it is barred."),
          key(
              "redeem.failures_days",
              new Whole(1, 3_650),
              "30",
              "How long refused claims are kept."));

  private SideKeys() {}
}
