package fairgate.app.pages;

import fairgate.kernel.Money;
import fairgate.platform.http.Reply;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import fairgate.sale.deposit.Deposit;
import fairgate.sale.ledger.LedgerOrder;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.Order;
import fairgate.sale.payment.Refund;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Renders the receipt of an order, and a buyer's list of orders.
record OrderView(PageFrame frame) {
  private static final String MINUS = "\u2212";

  /// The facts of a receipt.
  ///
  /// @param deposit what the order has used, as far as the page tells of its end
  /// @param aside what the buyer had paid, and the order has not used
  /// @param product the product's name; empty when it is unknown
  /// @param payUrl where to pay; empty when there is nothing to pay or no page for it
  /// @param asked whether the buyer of a paid order has yet to give details
  /// @param tickets the page of the order's tickets; empty for none
  /// @param isDisputed whether a payment of the order is disputed, and not decided
  /// @param mails whether a receipt can be sent by e-mail
  /// @param notice what was done, in the visitor's language; empty for nothing
  /// @param problem in the visitor's language; empty for none
  record Receipt(
      Order order,
      Optional<Deposit> deposit,
      Optional<Deposit> aside,
      String product,
      String payUrl,
      boolean asked,
      String tickets,
      List<Refund> refunds,
      boolean isDisputed,
      boolean mails,
      String notice,
      String problem) {}

  /// An order in the list.
  ///
  /// @param isDisputed whether a payment of the order is disputed, and not decided
  record Line(LedgerOrder order, String product, boolean isDisputed) {}

  record Fact(String label, String text) {}

  /// What the template of a receipt shows.
  ///
  /// @param more one sentence about the state; empty for none
  /// @param deadline of the payment; null for none
  /// @param declined what a declined payment means; empty unless the last one was
  /// @param tickets the page of the order's tickets; empty for none
  /// @param cancels what becomes of the order when its buyer cancels it; empty if nobody can
  /// @param isOwn whether this is the buyer, and not somebody with a link of a message
  record Shown(
      String id,
      String number,
      String product,
      String badge,
      String state,
      String more,
      @Nullable Deadline deadline,
      String declined,
      List<Fact> facts,
      String payUrl,
      boolean asked,
      String tickets,
      String cancels,
      boolean mails,
      String notice,
      String problem,
      boolean isOwn) {}

  /// The time to pay an order. A script makes it run.
  ///
  /// @param seconds left when the page was made; null while the time stands still
  /// @param text for a page without scripts
  /// @param template the same with `{time}` for the time
  record Deadline(@Nullable Long seconds, String text, String template) {
    /// Null when the order is not waiting for a payment, or has no deadline.
    static @Nullable Deadline of(Order order, Wording w) {
      if (order.status() == OrderStatus.PENDING && order.isStopped()) {
        return stopped(w);
      }
      return order.status() == OrderStatus.PENDING && order.payBy() > 0
          ? of(Instant.ofEpochMilli(order.payBy()), w)
          : null;
    }

    /// As `of(Order, Wording)`, for an order as the API writes it.
    static @Nullable Deadline of(Fields order, Wording w) {
      if (!order.text("status").equals(OrderStatus.PENDING.wire())) {
        return null;
      }
      return order.isTrue("deadline_stopped")
          ? stopped(w)
          : order.moment("pay_by").map(end -> of(end, w)).orElse(null);
    }

    private static Deadline stopped(Wording w) {
      return new Deadline(null, w.text("pay.stopped"), "");
    }

    /// Null when it has passed.
    static @Nullable Deadline of(Instant payBy, Wording w) {
      Duration left = Duration.between(w.now(), payBy);
      return left.isPositive()
          ? new Deadline(
              left.toSeconds(),
              w.words().text("nojs.pay_within", "time", w.span(left)),
              w.text("nojs.pay_within"))
          : null;
    }
  }

  /// What the template of the list shows of an order.
  record Row(
      String id,
      String number,
      String product,
      String when,
      String amount,
      String badge,
      String state) {}

  Reply receipt(Visit visit, int status, Receipt receipt) {
    return page(visit, status, shown(receipt, true, visit.wording()));
  }

  /// The page of an order for whoever has a link of a message to its buyer. It only shows.
  Reply linked(Visit visit, Receipt receipt) {
    return page(visit, 200, shown(receipt, false, visit.wording()));
  }

  private Reply page(Visit visit, int status, Shown shown) {
    return frame.reply(
        visit,
        status,
        PageFrame.Content.of(
            visit.words().text("receipt.title", "number", shown.number()),
            "plain",
            shown.deadline() == null ? "" : "deadline.js",
            out -> JteorderGenerated.render(out, null, visit.wording(), shown),
            JsonText.object()));
  }

  /// @param after the last order of the page; empty when there are no more
  Reply list(Visit visit, List<Line> lines, String after) {
    Wording w = visit.wording();
    List<Row> rows = new ArrayList<>();
    for (Line line : lines) {
      LedgerOrder order = line.order();
      OrderStatus state = order.standing().status();
      rows.add(
          new Row(
              order.id().value(),
              order.id().number().toString(),
              line.product(),
              w.time(order.standing().createdAt()),
              money(order.amount(), w),
              badge(state, line.isDisputed()),
              w.text(state(state, line.isDisputed()))));
    }
    return frame.reply(
        visit,
        200,
        PageFrame.Content.plain(
            w.text("receipt.own"),
            out -> JteordersGenerated.render(out, null, w, List.copyOf(rows), after)));
  }

  private static Shown shown(Receipt receipt, boolean isOwn, Wording w) {
    Order order = receipt.order();
    boolean pending = order.status() == OrderStatus.PENDING;
    String url = receipt.payUrl();
    boolean payable = pending && (url.startsWith("/") || url.startsWith("https://"));
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact(w.text("order.quantity"), w.number(order.quantity())));
    Order.DepositPart deposit = order.deposit();
    facts.addAll(
        amounts(
            order.amount().minorUnits(),
            deposit == null ? 0 : deposit.amount(),
            order.amount().currency(),
            w));
    facts.add(new Fact(w.text("receipt.bought"), w.time(Instant.ofEpochMilli(order.createdAt()))));
    for (Refund refund : receipt.refunds()) {
      if (refund.payment().amount().minorUnits() > 0) {
        facts.add(refund(refund, w));
      }
    }
    String state = state(order.status(), receipt.isDisputed());
    return new Shown(
        order.id().value(),
        order.id().number().toString(),
        receipt.product(),
        badge(order.status(), receipt.isDisputed()),
        w.text(state),
        w.sentences(w.text(state + ".more"), end(receipt.deposit().or(receipt::aside), w)),
        Deadline.of(order, w),
        pending && order.declinedAt() > 0 ? w.text("receipt.declined") : "",
        List.copyOf(facts),
        payable ? url : "",
        receipt.asked(),
        receipt.tickets(),
        pending && isOwn
            ? w.sentences(w.text("pay.cancel.more"), onCancel(receipt.deposit(), w))
            : "",
        receipt.mails() && (pending || order.status() == OrderStatus.PAID),
        receipt.notice(),
        receipt.problem(),
        isOwn);
  }

  /// How the deposit has ended, unless it counts; empty for that.
  private static String end(Optional<Deposit> deposit, Wording w) {
    return deposit
        .filter(it -> it.state() == Deposit.State.RETURNED || it.state() == Deposit.State.KEPT)
        .map(it -> own(it, it.state().word(), w))
        .orElse("");
  }

  /// What becomes of the deposit of an order that its buyer cancels.
  private static String onCancel(Optional<Deposit> deposit, Wording w) {
    return deposit.map(it -> own(it, it.passed().word(), w)).orElse("");
  }

  private static String own(Deposit deposit, String end, Wording w) {
    return w.words().text("deposit.own." + end, "amount", money(deposit.amount(), w));
  }

  /// What an order asks for, and if a deposit was taken off, the price and the deposit before.
  ///
  /// @param amount the price less the deposit, in minor units
  /// @param deposit in minor units; 0 for none
  static List<Fact> amounts(long amount, long deposit, String currency, Wording w) {
    if (deposit == 0) {
      return List.of(new Fact(w.text("order.amount"), w.money(amount, currency)));
    }
    return List.of(
        new Fact(w.text("order.price"), w.money(amount + deposit, currency)),
        new Fact(w.text("order.deposit"), MINUS + w.money(deposit, currency)),
        new Fact(w.text("order.rest"), w.money(amount, currency)));
  }

  /// A buyer only learns whether the money is back or on its way; a refund that a person has to
  /// decide is on its way too. One that was given up shows its amount as not returned.
  private static Fact refund(Refund refund, Wording w) {
    String state =
        switch (refund.state()) {
          case DONE -> "receipt.refund.done";
          case GIVEN_UP -> "receipt.refund.given_up";
          case DUE, WAITING, FAILED, UNPLACED -> "receipt.refund.due";
        };
    return new Fact(w.text(state), money(refund.payment().amount(), w));
  }

  /// The key of the state's name. A dispute says nothing of an order that was refunded meanwhile.
  private static String state(OrderStatus status, boolean isDisputed) {
    return "receipt." + (isDisputed && status == OrderStatus.PAID ? "disputed" : status.wire());
  }

  /// The class of the badge in the style sheet.
  private static String badge(OrderStatus status, boolean isDisputed) {
    return switch (status) {
      case PENDING -> "scheduled";
      case PAID -> isDisputed ? "scheduled" : "open";
      case CANCELLED, EXPIRED, REFUNDED -> "closed";
    };
  }

  private static String money(Money amount, Wording w) {
    return w.money(amount.minorUnits(), amount.currency());
  }
}
