package fairgate.app.pages;

import fairgate.catalog.SalePolicy.DepositEnd;
import fairgate.platform.text.Language;
import fairgate.platform.text.PriceText;
import java.text.NumberFormat;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// Formats numbers, prices, times and states in the visitor's language.
///
/// @param zone of the shop
record Wording(Dictionary words, String defaultCurrency, ZoneId zone, Instant now) {
  private static final String UTC = "UTC";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT);

  private static final long MINUTE = 60;
  private static final long HOUR = 3600;
  private static final long DAY = 86_400;

  String text(String key) {
    return words.text(key);
  }

  /// Joins sentences and skips empty ones. Chinese has no space between them.
  String sentences(String... all) {
    return sentences(List.of(all));
  }

  String sentences(List<String> all) {
    return all.stream()
        .filter(sentence -> !sentence.isEmpty())
        .collect(Collectors.joining(words.language() == Language.EN ? " " : ""));
  }

  String number(long number) {
    return NumberFormat.getIntegerInstance(locale()).format(number);
  }

  /// Formats a price in minor units, without decimals when it is whole.
  String money(long minorUnits, String currencyCode) {
    String currency = currencyCode.isEmpty() ? defaultCurrency : currencyCode;
    return PriceText.of(words.language(), minorUnits, currency);
  }

  /// A text about a deposit, as the API writes it.
  String deposit(Fields deposit, String key) {
    String amount = money(deposit.number("amount", 0), deposit.text("currency"));
    return words.text(key, "amount", amount);
  }

  /// That a deposit is paid, and whether it counts towards the price as it is now.
  String paidDeposit(Fields deposit, Fields product) {
    return deposit(deposit, counts(deposit, product) ? "deposit.own.paid" : "deposit.own.aside");
  }

  /// As `deposit`: what becomes of a paid one if its buyer lets the turn pass.
  String onPass(Fields deposit, Fields product) {
    return deposit(deposit, onPass(deposit.text("passed"), counts(deposit, product)));
  }

  /// The key of what becomes of a deposit if its buyer lets the turn pass.
  ///
  /// @param passed see `SalePolicy.DepositEnd`
  /// @param counts whether an order of one unit uses it
  static String onPass(String passed, boolean counts) {
    boolean isAside = !counts && passed.equals(DepositEnd.KEPT.word());
    return "deposit.passed." + passed + (isAside ? ".aside" : "");
  }

  private static boolean counts(Fields deposit, Fields product) {
    return deposit.text("currency").equals(product.text("currency"))
        && deposit.number("amount", 0) <= product.number("price", 0);
  }

  /// Whether all units are sold and paid, and no more are planned.
  boolean isGone(Fields product) {
    return state(product).equals("sold_out")
        && nextBatch(product).isEmpty()
        && product.number("held_stock", -1) == 0;
  }

  /// Formats a time in the shop's time zone, and names the zone: `2026-11-28 22:08 GMT+8`.
  String time(Instant at) {
    ZonedDateTime local = at.atZone(zone);
    return TIME.format(local) + ' ' + zoneName(local);
  }

  /// As browsers name it.
  static String zoneName(ZonedDateTime at) {
    return at.getOffset().equals(ZoneOffset.UTC)
        ? UTC
        : DateTimeFormatter.ofPattern("O", Locale.ROOT).format(at);
  }

  /// Formats a duration, rounded up: with minutes from an hour, with hours from two days.
  String span(Duration length) {
    long seconds = Math.max(1, length.toSeconds());
    if (seconds < MINUTE) {
      return words.text("unit.second", "n", seconds);
    }
    if (seconds < HOUR) {
      return words.text("unit.minute", "n", (seconds + MINUTE - 1) / MINUTE);
    }
    return seconds < 2 * DAY
        ? twoUnits(seconds, "unit.hour", HOUR, "unit.minute", MINUTE)
        : twoUnits(seconds, "unit.day", DAY, "unit.hour", HOUR);
  }

  /// `1 hr 4 min`, or `2 hr` when the smaller unit is 0.
  private String twoUnits(long seconds, String large, long larger, String small, long smaller) {
    long rounded = (seconds + smaller - 1) / smaller * smaller;
    long rest = rounded % larger / smaller;
    String whole = words.text(large, "n", rounded / larger);
    return rest == 0 ? whole : whole + " " + words.text(small, "n", rest);
  }

  /// Formats an estimated wait.
  ///
  /// @param seconds negative before the first measurement
  /// @param longestWait the longest wait, used before the first measurement; negative when unknown
  String estimate(long seconds, long longestWait) {
    if (seconds < 0) {
      return longestWait < 0
          ? "\u2013"
          : words.text("wait.at_most", "time", span(Duration.ofSeconds(longestWait)));
    }
    return seconds < MINUTE
        ? "< " + words.text("unit.minute", "n", 1)
        : "\u2248 " + span(Duration.ofSeconds(seconds));
  }

  /// `scheduled`, `open`, `paused`, `sold_out` or `closed`: the state that matters to a visitor.
  String state(Fields product) {
    String status = product.text("status");
    boolean over = product.moment("closes_at").map(at -> !at.isAfter(now)).orElse(false);
    if (status.equals("closed") || over) {
      return "closed";
    }
    if (status.equals("paused")) {
      return "paused";
    }
    boolean early = product.moment("opens_at").map(at -> at.isAfter(now)).orElse(false);
    if (status.equals("scheduled") || early) {
      return "scheduled";
    }
    return left(product) == 0 ? "sold_out" : "open";
  }

  String stateText(Fields product) {
    String state = state(product);
    if (state.equals("sold_out") && nextBatch(product).isPresent()) {
      return timed("state.more_in", nextBatch(product)).orElseGet(() -> text("state.more"));
    }
    return timed("state.opens_in", product.moment("opens_at"))
        .filter(_ -> state.equals("scheduled"))
        .orElseGet(() -> text("state." + state));
  }

  /// The text with the time until a moment; empty when it has passed.
  private Optional<String> timed(String key, Optional<Instant> moment) {
    return moment
        .filter(at -> at.isAfter(now))
        .map(at -> words.text(key, "time", span(Duration.between(now, at))));
  }

  /// When more units are planned.
  private static Optional<Instant> nextBatch(Fields product) {
    return product.moment("next_batch_at");
  }

  /// While everything is taken: what may come, and when.
  ///
  /// @param words the text for units that others hold
  /// @param stay the text for those who wait all the same; empty for none
  String taken(Fields product, String words, String stay) {
    long held = product.number("held_stock", -1);
    List<String> all = new ArrayList<>();
    Optional<Instant> next = nextBatch(product);
    if (next.isPresent()) {
      all.add(moreUnits(next.get()));
    } else {
      all.add(text(held == 0 ? "sold.gone" : words));
    }
    if (!stay.isEmpty() && (held == 0 || next.isPresent())) {
      all.add(text(stay));
    }
    if (held > 0) {
      all.add(this.words.text("held.some", "n", number(held)));
      timed("held.deadline", product.moment("next_payment_deadline_at")).ifPresent(all::add);
    }
    return sentences(all);
  }

  /// While everything is taken and a batch is due: when it comes.
  String moreUnits(Instant next) {
    String time = timed("nojs.in", Optional.of(next)).orElseGet(() -> text("sold.soon"));
    return words.text("sold.next", "time", time);
  }

  /// The free units; negative while they are unknown.
  static long left(Fields product) {
    return product.number("remaining_stock", -1);
  }

  /// The free units as a text; all units while the free ones are unknown.
  String stock(Fields product) {
    long left = left(product);
    String taken = nextBatch(product).isPresent() ? "stock.more" : "stock.none";
    String key = left < 0 ? "stock.total" : left > 0 ? "stock.left" : taken;
    return words
        .text(key, "left", number(left))
        .replace("{total}", number(product.number("total_stock", 0)));
  }

  /// That the units come in several batches; empty if they do not.
  String batches(Fields product) {
    long batches = product.number("batches", 1);
    return batches > 1 ? words.text("stock.batches", "n", number(batches)) : "";
  }

  /// The groups that are admitted first, one sentence each; empty for none.
  List<String> tiers(Fields product) {
    List<String> lines = new ArrayList<>();
    for (Fields tier : product.list("priority")) {
      Optional<Duration> left =
          tier.moment("until")
              .map(until -> Duration.between(now, until))
              .filter(Duration::isPositive);
      lines.add(
          words
              .text(left.isPresent() ? "tiers.line" : "tiers.over", "name", tier.text("name"))
              .replace("{share}", number(tier.number("share", 0)))
              .replace("{group}", text("tiers.for." + tier.text("for")))
              .replace(
                  "{time}",
                  left.map(time -> words.text("nojs.in", "time", span(time))).orElse("")));
    }
    if (!lines.isEmpty()) {
      lines.add(words.text("tiers.open", "share", number(product.number("open_share", 0))));
    }
    return lines;
  }

  String price(Fields product) {
    return money(product.number("price", 0), product.text("currency"));
  }

  Locale locale() {
    return words.language().locale();
  }
}
