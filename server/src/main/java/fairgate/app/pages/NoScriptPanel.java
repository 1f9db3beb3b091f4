package fairgate.app.pages;

import fairgate.platform.json.JsonText;
import java.time.Duration;
import java.util.Map;

/// The gate's panel for a browser without JavaScript: plain forms, and a page that refreshes
/// itself.
final class NoScriptPanel {
  private static final int REFRESH_SECONDS = 10;
  private static final int READY_REFRESH_SECONDS = 30;

  private final PageTemplates templates;
  private final PageSettings settings;

  NoScriptPanel(PageTemplates templates, PageSettings settings) {
    this.templates = templates;
    this.settings = settings;
  }

  /// What goes into `<noscript>` of the head: a refresh while something can change by itself.
  Html head(SaleScene scene) {
    int seconds =
        switch (scene.stage()) {
          case "waiting", "active", "pending" -> REFRESH_SECONDS;
          case "ready" -> READY_REFRESH_SECONDS;
          default -> 0;
        };
    return seconds == 0
        ? Html.NOTHING
        : new Html(
            "<noscript><meta http-equiv=\"refresh\" content=\""
                + seconds
                + ";url=/p/"
                + Html.escape(scene.id())
                + "\"></noscript>");
  }

  Html panel(SaleScene scene, Wording wording) {
    return switch (scene.stage()) {
      case "waiting" -> place(scene, wording, "wait", "queue_position_waiting", "total_in_waiting");
      case "active" -> place(scene, wording, "next", "queue_position_active", "total_in_active");
      case "ready" -> ready(scene, wording);
      case "pending", "paid" -> order(scene, wording);
      default -> join(scene, wording);
    };
  }

  private Html join(SaleScene scene, Wording wording) {
    String state = wording.state(scene.product());
    boolean closed = state.equals("closed");
    String words = "join." + state;
    Html form = Html.NOTHING;
    if (!closed) {
      form =
          settings.joinWithoutScript()
              ? button(wording, "/p/" + scene.id() + "/join", "primary", "join.button")
              : new Html(
                  "<p class=\"note warn\">" + Html.escape(wording.text("nojs.check")) + "</p>");
    }
    return templates.fill(
        "nojs-join",
        wording.words(),
        Map.of(
            "title", wording.text(ended(scene, closed, words)),
            "more", wording.text(ended(scene, closed, words) + ".more"),
            "form", form));
  }

  private static String ended(SaleScene scene, boolean closed, String otherwise) {
    if (!scene.stage().equals("ended")) {
      return otherwise;
    }
    String order = scene.order().map(fields -> fields.text("status")).orElse("");
    return switch (order) {
      case "cancelled" -> "end.cancelled";
      case "refunded" -> "end.refunded";
      case "expired" -> "end.unpaid";
      default -> {
        boolean had = scene.place().flatMap(f -> f.moment("purchase_timeout_at")).isPresent();
        yield closed ? "end.closed" : had ? "end.missed" : "end.lost";
      }
    };
  }

  private Html place(
      SaleScene scene, Wording wording, String words, String position, String total) {
    Fields place = scene.place().orElseThrow();
    long ahead = Math.max(0, place.number(position, 0));
    return templates.fill(
        "nojs-place",
        wording.words(),
        Map.of(
            "title", wording.text(words + ".title"),
            "place_label", wording.text(words + ".place"),
            "place", wording.number(ahead + 1),
            "ahead", wording.number(ahead),
            "time", wording.estimate(place.number("estimated_wait_time", -1)),
            "total", wording.number(place.number(total, 0)),
            "refresh", refresh(wording),
            "leave", button(wording, "/p/" + scene.id() + "/leave", "text", "leave.button")));
  }

  private Html ready(SaleScene scene, Wording wording) {
    Duration left =
        scene
            .place()
            .flatMap(fields -> fields.moment("purchase_timeout_at"))
            .map(end -> Duration.between(wording.now(), end))
            .orElse(Duration.ZERO);
    StringBuilder options = new StringBuilder();
    long most = Math.clamp(scene.product().number("max_quantity", 1), 1, 20);
    for (long i = 1; i <= most; i++) {
      options.append("<option>").append(i).append("</option>");
    }
    return templates.fill(
        "nojs-ready",
        wording.words(),
        Map.of(
            "id", scene.id(),
            "within", wording.words().text("nojs.within", "time", wording.span(left)),
            "options", new Html(options.toString()),
            "leave", button(wording, "/p/" + scene.id() + "/leave", "text", "leave.button")));
  }

  private Html order(SaleScene scene, Wording wording) {
    Fields order = scene.order().orElseThrow();
    String words = scene.stage().equals("paid") ? "paid" : "pay";
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
    return templates.fill(
        "nojs-order",
        wording.words(),
        Map.of(
            "title", wording.text(words + ".title"),
            "more", wording.text(words + ".more"),
            "order_id", order.text("order_id"),
            "quantity", wording.number(order.number("quantity", 1)),
            "amount", amount(scene, order, wording),
            "next", next));
  }

  static String amount(SaleScene scene, Fields order, Wording wording) {
    long price = scene.product().number("price", 0);
    String own = order.text("currency");
    return wording.money(
        order.number("amount", price * order.number("quantity", 1)),
        own.isEmpty() ? scene.product().text("currency") : own);
  }

  private Html button(Wording wording, String action, String kind, String label) {
    return templates.fill(
        "nojs-button",
        wording.words(),
        Map.of("action", action, "kind", kind, "label", wording.text(label)));
  }

  private static String refresh(Wording wording) {
    String every = wording.span(Duration.ofSeconds(REFRESH_SECONDS));
    return wording.words().text("nojs.refresh", "time", every);
  }

  /// The JSON that the modules read, safe inside a script element.
  static Html data(JsonText json) {
    return new Html(json.toString().replace("<", "\\u003c"));
  }
}
