package fairgate.app.pages;

import fairgate.kernel.SessionId;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Wording;
import fairgate.queue.Place;
import gg.jte.html.HtmlContent;
import java.time.Duration;
import java.util.stream.Stream;

/// The queue and purchase panel for a browser without JavaScript: plain forms, and a page that
/// refreshes itself.
record NoScriptPanel(PageSettings settings, FormActions actions) {
  private static final int REFRESH_SECONDS = 10;

  /// The number of refreshes per presence or show-up timeout that keeps a place.
  private static final int REFRESHES_PER_PRESENCE = 4;

  private static final int READY_REFRESH_SECONDS = 30;

  /// The largest quantity for choice.
  private static final int MAX_QUANTITY = 20;

  /// The refresh of the page while the state can change, see `PageFrame.Content`.
  String refresh(SaleView view) {
    int seconds =
        switch (view.stage()) {
          case "waiting", "active", "pending" -> refreshSeconds(view);
          case "ready" -> soldOut(view) ? refreshSeconds(view) : READY_REFRESH_SECONDS;
          default -> 0;
        };
    return seconds == 0 ? "" : seconds + ";url=/p/" + view.id();
  }

  /// @param tickets whether paid orders have tickets
  HtmlContent panel(SaleView view, Wording wording, boolean tickets) {
    return switch (view.stage()) {
      case "waiting" -> place(view, wording, "wait", "people_in_line");
      case "active" -> place(view, wording, "next", "total_in_active");
      case "ready" -> ready(view, wording);
      case "pending", "paid" -> order(view, wording, tickets);
      default -> join(view, wording);
    };
  }

  private HtmlContent join(SaleView view, Wording wording) {
    String state = new SaleWording(wording).state(view.product());
    boolean over = state.equals("closed");
    boolean stopped = !over && view.product().text("joins").equals("stopped");
    boolean closed = over || stopped || isGone(view, wording);
    String words = stopped ? "join.stopped" : "join." + state;
    String title = wording.text(ended(view, over, words));
    String more =
        wording.sentences(
            more(view, wording, ended(view, over, words)),
            view.stage().equals("ended") ? endOfDeposit(view, wording) : "",
            pause(view, wording));
    boolean possible =
        settings.joinWithoutScript() && !view.product().text("device_key").equals("required");
    return out ->
        JtenoScriptJoinGenerated.render(
            out,
            null,
            wording,
            title,
            more,
            limit(view, wording),
            closed,
            possible,
            isDrawn(view),
            view.id());
  }

  /// How the visitor's deposit has ended without counting; empty while it has not.
  static String endOfDeposit(SaleView view, Wording wording) {
    return Stream.of("returned", "kept")
        .flatMap(state -> view.deposit(state).stream())
        .map(it -> new SaleWording(wording).deposit(it, "deposit.own." + it.text("status")))
        .findFirst()
        .orElse("");
  }

  /// That the deposit of a place is paid, and what becomes of it.
  ///
  /// @param ofTurn whether to tell what becomes of it when the turn passes, or when the buyer
  ///   leaves
  private static String paid(SaleView view, Wording wording, boolean ofTurn) {
    return view.deposit("paid")
        .map(
            it ->
                wording.sentences(
                    new SaleWording(wording).paidDeposit(it, view.product()),
                    ofTurn
                        ? new SaleWording(wording).onPass(it, view.product())
                        : new SaleWording(wording).deposit(it, "deposit.leave")))
        .orElse("");
  }

  /// Whether nobody new can join, because the sale would ask for a deposit for nothing.
  static boolean isGone(SaleView view, Wording wording) {
    return view.product().number("deposit", 0) > 0
        && !isDrawn(view)
        && view.deposit("paid").isEmpty()
        && new SaleWording(wording).isGone(view.product());
  }

  static boolean isDrawn(SaleView view) {
    return view.product().text("pre_queue").equals("draw");
  }

  private static String more(SaleView view, Wording wording, String words) {
    if (isDrawn(view) && (words.equals("join.open") || words.equals("join.scheduled"))) {
      return wording.text("join.draw.more");
    }
    String more = wording.text(words + ".more");
    return switch (words) {
      case "join.sold_out" -> new SaleWording(wording).taken(view.product(), words + ".more", "");
      case "join.scheduled" -> {
        String order =
            view.product().text("pre_queue").equals("shuffle") ? "wait.shuffle" : "join.arrival";
        yield wording.sentences(more, wording.text(order));
      }
      default -> more;
    };
  }

  /// The units that one buyer may have, and as whom the sale counts a buyer.
  private static String limit(SaleView view, Wording wording) {
    Fields product = view.product();
    long each = product.number("max_per_user", 0);
    String identity = product.text("identity");
    return each <= 0
        ? ""
        : wording
            .words()
            .text(
                "limit.each." + (identity.isEmpty() ? "device" : identity),
                "n",
                wording.number(each));
  }

  /// The time until the buyer of an ended place may join again; empty without a pause.
  private static String pause(SaleView view, Wording wording) {
    return view.place()
        .flatMap(fields -> fields.moment("rejoin_at"))
        .filter(end -> end.isAfter(wording.now()))
        .map(end -> wording.span(Duration.between(wording.now(), end)))
        .map(time -> wording.words().text("nojs.pause", "time", time))
        .orElse("");
  }

  private static boolean soldOut(SaleView view) {
    return view.product().text("status").equals("sold_out");
  }

  /// The longest wait in seconds, if every buyer ahead uses the whole time; negative when the sale
  /// is not moving.
  private static long longestWait(SaleView view, long ahead) {
    Fields product = view.product();
    if (!product.text("status").equals("open")) {
      return -1;
    }
    long slots = Math.max(1, product.number("ready_slots", 1));
    return Math.ceilDiv(ahead + 1, slots) * product.number("purchase_window_seconds", 300);
  }

  private static String ended(SaleView view, boolean closed, String otherwise) {
    if (!view.stage().equals("ended")) {
      return otherwise;
    }
    String order = view.order().map(fields -> fields.text("status")).orElse("");
    return switch (order) {
      case "cancelled" -> "end.cancelled";
      case "refunded" -> "end.refunded";
      case "expired" -> "end.unpaid";
      default ->
          switch (view.place().map(fields -> fields.text("ended")).orElse("")) {
            case "window", "no_show" -> "end.missed";
            case "left" -> "end.left";
            case "unpaid" -> "end.unpaid";
            default -> closed ? "end.closed" : "end.lost";
          };
    };
  }

  private HtmlContent place(SaleView view, Wording wording, String words, String total) {
    Fields place = view.place().orElseThrow();
    long ahead = SaleView.ahead(place);
    boolean hidden = SaleView.orderHidden(place);
    String seat = place.text("seat");
    String time =
        wording.estimate(place.number("estimated_wait_time", -1), longestWait(view, ahead));
    return out ->
        JtenoScriptPlaceGenerated.render(
            out,
            null,
            wording,
            view.id(),
            words,
            hidden ? wording.text("wait.drawn") : wording.number(ahead + 1),
            hidden ? "\u2013" : wording.number(ahead),
            time,
            place.number(total, 0),
            refresh(view, wording),
            hidden,
            seat.isEmpty() ? "" : wording.text("wait.seat." + seat),
            place.text("appeal_url"),
            notice(view, wording),
            standstill(view, wording),
            paid(view, wording, false));
  }

  /// Why nobody gets a turn at the moment; empty when the sale moves.
  private static String standstill(SaleView view, Wording wording) {
    return switch (new SaleWording(wording).state(view.product())) {
      case "paused" -> wording.text("wait.paused");
      case "sold_out" ->
          new SaleWording(wording).taken(view.product(), "wait.sold_out", "wait.stay");
      default -> "";
    };
  }

  /// The operator's message to everybody in line; empty for none.
  private static String notice(SaleView view, Wording wording) {
    return view.place().orElseThrow().inLanguage("notice", wording.words().language());
  }

  private HtmlContent ready(SaleView view, Wording wording) {
    Duration left =
        view.place()
            .flatMap(fields -> fields.moment("purchase_timeout_at"))
            .map(end -> Duration.between(wording.now(), end))
            .orElse(Duration.ZERO);
    String within = wording.words().text("nojs.within", "time", wording.span(left));
    boolean soldOut = soldOut(view);
    String state = new SaleWording(wording).state(view.product());
    boolean paused = state.equals("paused");
    String deposit = paid(view, wording, !paused);
    String more =
        paused
            ? wording.sentences(notice(view, wording), wording.text("ready.paused"))
            : soldOut
                ? new SaleWording(wording).taken(view.product(), "ready.sold_out", "ready.stay")
                : wording.text(state.equals("closed") ? "ready.closed" : "ready.more");
    return out ->
        JtenoScriptReadyGenerated.render(
            out,
            null,
            wording,
            view.id(),
            within,
            more,
            paused || soldOut,
            view.product().number("price", 0),
            Math.clamp(view.product().number("max_quantity", 1), 1, MAX_QUANTITY),
            refresh(view, wording),
            turnProof(view),
            deposit);
  }

  private String turnProof(SaleView view) {
    Fields place = view.place().orElseThrow();
    return actions.turnProof(
        new SessionId(place.text("session_id")), place.number("purchase_ready_at", 0));
  }

  private HtmlContent order(SaleView view, Wording wording, boolean tickets) {
    Fields order = view.order().orElseThrow();
    String words = view.stage().equals("paid") ? "paid" : "pay";
    String url = order.text("payment_url");
    boolean payable = words.equals("pay") && (url.startsWith("/") || url.startsWith("https://"));
    boolean declined = payable && order.moment("declined_at").isPresent();
    String more = wording.text(declined ? "pay.declined" : words + ".more");
    return out ->
        JtenoScriptOrderGenerated.render(
            out,
            null,
            wording,
            order,
            words,
            more,
            within(order, wording, words),
            OrderView.amounts(
                amount(view, order), order.number("deposit", 0), currency(view, order), wording),
            payable ? url : "",
            tickets && words.equals("paid"));
  }

  /// The remaining time to pay an order; empty when it is paid or has no deadline.
  private static String within(Fields order, Wording wording, String words) {
    if (words.equals("pay") && order.isTrue("deadline_stopped")) {
      return wording.text("pay.stopped");
    }
    return order
        .moment("pay_by")
        .filter(end -> words.equals("pay") && end.isAfter(wording.now()))
        .map(end -> wording.span(Duration.between(wording.now(), end)))
        .map(time -> wording.words().text("nojs.pay_within", "time", time))
        .orElse("");
  }

  static String amount(SaleView view, Fields order, Wording wording) {
    return wording.money(amount(view, order), currency(view, order));
  }

  private static long amount(SaleView view, Fields order) {
    long price = view.product().number("price", 0);
    return order.number("amount", price * order.number("quantity", 1));
  }

  private static String currency(SaleView view, Fields order) {
    String own = order.text("currency");
    return own.isEmpty() ? view.product().text("currency") : own;
  }

  /// Seconds between two refreshes of a page whose state can change.
  static int refreshSeconds(SaleView view) {
    long seconds = REFRESH_SECONDS;
    long presence = view.product().number("presence_timeout_seconds", 0);
    if (presence > 0) {
      seconds = Math.min(seconds, presence / REFRESHES_PER_PRESENCE);
    }
    // A session whose turn comes has to ask within this time.
    long showUp = view.product().number("show_up_seconds", 0);
    if (showUp > 0 && view.place().filter(NoScriptPanel::isInFront).isPresent()) {
      seconds = Math.min(seconds, showUp / REFRESHES_PER_PRESENCE);
    }
    return Math.clamp(seconds, 1, REFRESH_SECONDS);
  }

  private static boolean isInFront(Fields place) {
    return place.text("queue_status").equals("active")
        || (!SaleView.orderHidden(place) && SaleView.ahead(place) < Place.FRONT);
  }

  private static String refresh(SaleView view, Wording wording) {
    String every = wording.span(Duration.ofSeconds(refreshSeconds(view)));
    return wording.words().text("nojs.refresh", "time", every);
  }
}
