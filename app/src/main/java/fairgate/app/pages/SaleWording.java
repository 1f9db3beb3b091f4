package fairgate.app.pages;

import fairgate.catalog.SalePolicy.DepositEnd;
import fairgate.platform.page.Wording;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Says the state, stock and price of a sale, and what becomes of deposits, in the visitor's
/// language.
record SaleWording(Wording w) {
  /// `scheduled`, `open`, `paused`, `sold_out` or `closed`: the state that matters to a visitor.
  String state(Fields product) {
    String status = product.text("status");
    boolean over = product.moment("closes_at").map(at -> !at.isAfter(w.now())).orElse(false);
    if (status.equals("closed") || over) {
      return "closed";
    }
    if (status.equals("paused")) {
      return "paused";
    }
    boolean early = product.moment("opens_at").map(at -> at.isAfter(w.now())).orElse(false);
    if (status.equals("scheduled") || early) {
      return "scheduled";
    }
    return left(product) == 0 ? "sold_out" : "open";
  }

  String stateText(Fields product) {
    String state = state(product);
    if (state.equals("sold_out") && nextBatch(product).isPresent()) {
      return timed("state.more_in", nextBatch(product)).orElseGet(() -> w.text("state.more"));
    }
    return timed("state.opens_in", product.moment("opens_at"))
        .filter(_ -> state.equals("scheduled"))
        .orElseGet(() -> w.text("state." + state));
  }

  /// The text with the time until a moment; empty when it has passed.
  private Optional<String> timed(String key, Optional<Instant> moment) {
    return moment
        .filter(at -> at.isAfter(w.now()))
        .map(at -> w.words().text(key, "time", w.span(Duration.between(w.now(), at))));
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
      all.add(w.text(held == 0 ? "sold.gone" : words));
    }
    if (!stay.isEmpty() && (held == 0 || next.isPresent())) {
      all.add(w.text(stay));
    }
    if (held > 0) {
      all.add(w.words().text("held.some", "n", w.number(held)));
      timed("held.deadline", product.moment("next_payment_deadline_at")).ifPresent(all::add);
    }
    return w.sentences(all);
  }

  /// While everything is taken and a batch is due: when it comes.
  String moreUnits(Instant next) {
    String time = timed("nojs.in", Optional.of(next)).orElseGet(() -> w.text("sold.soon"));
    return w.words().text("sold.next", "time", time);
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
    return w.words()
        .text(key, "left", w.number(left))
        .replace("{total}", w.number(product.number("total_stock", 0)));
  }

  /// That the units come in several batches; empty if they do not.
  String batches(Fields product) {
    long batches = product.number("batches", 1);
    return batches > 1 ? w.words().text("stock.batches", "n", w.number(batches)) : "";
  }

  /// The groups that are admitted first, one sentence each; empty for none.
  List<String> tiers(Fields product) {
    List<String> lines = new ArrayList<>();
    for (Fields tier : product.list("priority")) {
      Optional<Duration> left =
          tier.moment("until")
              .map(until -> Duration.between(w.now(), until))
              .filter(Duration::isPositive);
      lines.add(
          w.words()
              .text(left.isPresent() ? "tiers.line" : "tiers.over", "name", tier.text("name"))
              .replace("{share}", w.number(tier.number("share", 0)))
              .replace("{group}", w.text("tiers.for." + tier.text("for")))
              .replace(
                  "{time}",
                  left.map(time -> w.words().text("nojs.in", "time", w.span(time))).orElse("")));
    }
    if (!lines.isEmpty()) {
      lines.add(w.words().text("tiers.open", "share", w.number(product.number("open_share", 0))));
    }
    return lines;
  }

  String price(Fields product) {
    return w.money(product.number("price", 0), product.text("currency"));
  }

  /// Whether all units are sold and paid, and no more are planned.
  boolean isGone(Fields product) {
    return state(product).equals("sold_out")
        && nextBatch(product).isEmpty()
        && product.number("held_stock", -1) == 0;
  }

  String deposit(Fields deposit, String key) {
    String amount = w.money(deposit.number("amount", 0), deposit.text("currency"));
    return w.words().text(key, "amount", amount);
  }

  /// That a deposit is paid, and whether it counts towards the price as it is w.now().
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
}
