package fairgate.app.pages;

import fairgate.platform.json.JsonText;
import java.time.Duration;
import java.util.Map;

/// The queue and purchase panel for a browser without JavaScript: plain forms, and a page that
/// refreshes itself.
final class NoScriptPanel {
  private static final int REFRESH_SECONDS = 10;

  /// The number of refreshes per presence timeout that keeps a place.
  private static final int REFRESHES_PER_PRESENCE = 4;

  private static final int READY_REFRESH_SECONDS = 30;

  private final PageTemplates templates;
  private final PageSettings settings;

  NoScriptPanel(PageTemplates templates, PageSettings settings) {
    this.templates = templates;
    this.settings = settings;
  }

  /// The content of `<noscript>` in the head: a refresh while the state can change.
  Html head(SaleView view) {
    int seconds =
        switch (view.stage()) {
          case "waiting", "active", "pending" -> refreshSeconds(view);
          case "ready" -> soldOut(view) ? refreshSeconds(view) : READY_REFRESH_SECONDS;
          default -> 0;
        };
    return seconds == 0
        ? Html.NOTHING
        : new Html(
            "<noscript><meta http-equiv=\"refresh\" content=\""
                + seconds
                + ";url=/p/"
                + Html.escape(view.id())
                + "\"></noscript>");
  }

  Html panel(SaleView view, Wording wording) {
    return switch (view.stage()) {
      case "waiting" -> place(view, wording, "wait", "people_in_line");
      case "active" -> place(view, wording, "next", "total_in_active");
      case "ready" -> ready(view, wording);
      case "pending", "paid" -> order(view, wording);
      default -> join(view, wording);
    };
  }

  private Html join(SaleView view, Wording wording) {
    String state = wording.state(view.product());
    boolean closed = state.equals("closed");
    String words = "join." + state;
    Html form = Html.NOTHING;
    if (!closed) {
      form =
          settings.joinWithoutScript()
              ? button(wording, "/p/" + view.id() + "/join", "primary", "join.button")
              : new Html(
                  "<p class=\"note warn\">" + Html.escape(wording.text("nojs.check")) + "</p>");
    }
    return templates.fill(
        "nojs-join",
        wording.words(),
        Map.of(
            "title", wording.text(ended(view, closed, words)),
            "more", more(view, wording, ended(view, closed, words)),
            "form", form));
  }

  private static String more(SaleView view, Wording wording, String words) {
    String more = wording.text(words + ".more");
    return words.equals("join.sold_out")
        ? wording.sentences(more, held(view.product(), wording))
        : more;
  }

  private static boolean soldOut(SaleView view) {
    return view.product().text("status").equals("sold_out");
  }

  /// The units reserved by others; empty when unknown.
  private static String held(Fields product, Wording wording) {
    long units = product.number("held_stock", -1);
    if (units <= 0) {
      return units < 0 ? "" : wording.text("held.none");
    }
    String text = wording.words().text("held.some", "n", wording.number(units));
    return product
        .moment("next_payment_deadline_at")
        .filter(next -> next.isAfter(wording.now()))
        .map(next -> wording.span(Duration.between(wording.now(), next)))
        .map(time -> wording.sentences(text, wording.words().text("held.deadline", "time", time)))
        .orElse(text);
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
      default -> {
        boolean had = view.place().flatMap(f -> f.moment("purchase_timeout_at")).isPresent();
        yield closed ? "end.closed" : had ? "end.missed" : "end.lost";
      }
    };
  }

  private Html place(SaleView view, Wording wording, String words, String total) {
    Fields place = view.place().orElseThrow();
    long ahead = SaleView.ahead(place);
    return templates.fill(
        "nojs-place",
        wording.words(),
        Map.of(
            "title", wording.text(words + ".title"),
            "place_label", wording.text("wait.place"),
            "place", wording.number(ahead + 1),
            "ahead", wording.number(ahead),
            "time",
                wording.estimate(place.number("estimated_wait_time", -1), longestWait(view, ahead)),
            "total", wording.number(place.number(total, 0)),
            "refresh", refresh(view, wording),
            "leave", button(wording, "/p/" + view.id() + "/leave", "text", "leave.button")));
  }

  private Html ready(SaleView view, Wording wording) {
    Duration left =
        view.place()
            .flatMap(fields -> fields.moment("purchase_timeout_at"))
            .map(end -> Duration.between(wording.now(), end))
            .orElse(Duration.ZERO);
    StringBuilder options = new StringBuilder();
    long longestWait = Math.clamp(view.product().number("max_quantity", 1), 1, 20);
    for (long i = 1; i <= longestWait; i++) {
      options.append("<option>").append(i).append("</option>");
    }
    Html leave = button(wording, "/p/" + view.id() + "/leave", "text", "leave.button");
    String within = wording.words().text("nojs.within", "time", wording.span(left));
    if (soldOut(view)) {
      String more =
          wording.sentences(wording.text("ready.sold_out"), held(view.product(), wording));
      return templates.fill(
          "nojs-empty",
          wording.words(),
          Map.of(
              "within", within, "more", more, "refresh", refresh(view, wording), "leave", leave));
    }
    return templates.fill(
        "nojs-ready",
        wording.words(),
        Map.of(
            "id",
            view.id(),
            "within",
            within,
            "more",
            wording.text(
                wording.state(view.product()).equals("closed") ? "ready.closed" : "ready.more"),
            "price",
            Long.toString(view.product().number("price", 0)),
            "options",
            new Html(options.toString()),
            "leave",
            leave));
  }

  private Html order(SaleView view, Wording wording) {
    Fields order = view.order().orElseThrow();
    String words = view.stage().equals("paid") ? "paid" : "pay";
    String url = order.text("payment_url");
    boolean payable = words.equals("pay") && (url.startsWith("/") || url.startsWith("https://"));
    Html next =
        payable
            ? new Html(
                "<a class=\"button primary big\" href=\""
                    + Html.escape(url)
                    + "\">"
                    + Html.escape(wording.text("pay.button"))
                    + "</a>")
            : Html.NOTHING;
    boolean declined = payable && order.moment("declined_at").isPresent();
    return templates.fill(
        "nojs-order",
        wording.words(),
        Map.of(
            "title", wording.text(words + ".title"),
            "more", wording.text(declined ? "pay.declined" : words + ".more"),
            "within", within(order, wording, words),
            "order_id", order.text("order_id"),
            "quantity", wording.number(order.number("quantity", 1)),
            "amount", amount(view, order, wording),
            "next", next));
  }

  /// The remaining time to pay an order; empty when it is paid or has no deadline.
  private static String within(Fields order, Wording wording, String words) {
    return order
        .moment("pay_by")
        .filter(end -> words.equals("pay") && end.isAfter(wording.now()))
        .map(end -> wording.span(Duration.between(wording.now(), end)))
        .map(time -> wording.words().text("nojs.pay_within", "time", time))
        .orElse("");
  }

  static String amount(SaleView view, Fields order, Wording wording) {
    long price = view.product().number("price", 0);
    String own = order.text("currency");
    return wording.money(
        order.number("amount", price * order.number("quantity", 1)),
        own.isEmpty() ? view.product().text("currency") : own);
  }

  private Html button(Wording wording, String action, String kind, String label) {
    return templates.fill(
        "nojs-button",
        wording.words(),
        Map.of("action", action, "kind", kind, "label", wording.text(label)));
  }

  private static int refreshSeconds(SaleView view) {
    long presence = view.product().number("presence_timeout_seconds", 0);
    return presence == 0
        ? REFRESH_SECONDS
        : Math.clamp(presence / REFRESHES_PER_PRESENCE, 1, REFRESH_SECONDS);
  }

  private static String refresh(SaleView view, Wording wording) {
    String every = wording.span(Duration.ofSeconds(refreshSeconds(view)));
    return wording.words().text("nojs.refresh", "time", every);
  }

  /// JSON for the modules, escaped for a script element.
  static Html data(JsonText json) {
    return new Html(json.toString().replace("<", "\\u003c"));
  }
}
