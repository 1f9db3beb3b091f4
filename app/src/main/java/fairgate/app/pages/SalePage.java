package fairgate.app.pages;

import fairgate.kernel.OrderId;
import fairgate.platform.http.Reply;
import fairgate.platform.json.JsonText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Renders the list of sales, a sale, and the sandbox payment page.
final class SalePage {
  private static final List<String> STEPS = List.of("check", "wait", "buy", "pay");
  private static final String NO_PICTURE = "/picture.svg";

  private final PageTemplates templates;
  private final PageFrame frame;
  private final NoScriptPanel panel;

  SalePage(PageTemplates templates, PageFrame frame, NoScriptPanel panel) {
    this.templates = templates;
    this.frame = frame;
    this.panel = panel;
  }

  /// @param place the visitor's newest place in any sale
  Reply list(Visit visit, List<Fields> products, Optional<Fields> place) {
    Html cards = Html.NOTHING;
    for (Fields product : products) {
      Map<String, Object> values = product(visit, product);
      mine(values, visit, place.filter(p -> p.text("product_id").equals(product.text("id"))));
      cards = cards.and(templates.fill("shop-card", visit.words(), values));
    }
    Html list =
        products.isEmpty()
            ? templates.fill("shop-empty", visit.words(), Map.of("assets", frame.assets()))
            : new Html("<ul class=\"sales\">").and(cards).and(new Html("</ul>"));
    Html main = templates.fill("shop", visit.words(), Map.of("cards", list));
    String title = visit.wording().text("shop.title") + " \u00b7 Fairgate";
    return frame.reply(
        visit,
        200,
        new PageFrame.Content(title, "shop", "shop.js", Html.NOTHING, main, JsonText.object()));
  }

  private static void mine(Map<String, Object> values, Visit visit, Optional<Fields> place) {
    String status = place.map(fields -> fields.text("queue_status")).orElse("");
    boolean turn = status.equals("ready_to_purchase");
    boolean live = turn || status.equals("waiting") || status.equals("active");
    String number = visit.wording().number(place.map(SaleView::ahead).orElse(0L) + 1);
    values.put("mine_hidden", live ? "" : "hidden");
    values.put("mine_turn", turn ? "turn" : "");
    values.put(
        "mine",
        turn
            ? visit.wording().text("ready.title")
            : visit.words().text("shop.mine", "place", number));
  }

  /// The product's name, with the position of a waiting visitor in front.
  private static String title(Visit visit, SaleView view) {
    String name = view.product().text("name");
    boolean inLine = view.stage().equals("waiting") || view.stage().equals("active");
    long place = view.place().map(SaleView::ahead).orElse(0L) + 1;
    return inLine
        ? visit
            .words()
            .text("title.place", "place", visit.wording().number(place))
            .replace("{name}", name)
        : name;
  }

  Reply sale(Visit visit, int status, SaleView view) {
    Map<String, Object> values = product(visit, view.product());
    Html nojs = panel.panel(view, visit.wording());
    if (view.problem().isPresent()) {
      String text = Html.escape(view.problem().get());
      nojs = new Html("<p class=\"note bad\" role=\"alert\">" + text + "</p>").and(nojs);
    }
    values.put("assets", frame.assets());
    values.put("nojs", nojs);
    for (int i = 0; i < STEPS.size(); i++) {
      int at = view.step();
      values.put("step_" + STEPS.get(i), i < at ? "done" : i == at ? "now" : "");
    }
    JsonText data = JsonText.object().putRaw("product", view.product().json());
    view.place().ifPresent(place -> data.putRaw("status", place.json()));
    view.order().ifPresent(order -> data.putRaw("order", order.json()));
    return frame.reply(
        visit,
        status,
        new PageFrame.Content(
            title(visit, view),
            view.stage(),
            "sale.js",
            panel.head(view),
            templates.fill("sale", visit.words(), values),
            data));
  }

  /// The sandbox payment page.
  ///
  /// @param view has no order when this browser's newest place belongs to another sale; the module
  ///   then loads it
  Reply sandbox(Visit visit, int status, OrderId id, SaleView view) {
    Optional<Fields> order = view.order();
    String amount =
        order.map(found -> NoScriptPanel.amount(view, found, visit.wording())).orElse("\u2026");
    Html main =
        templates.fill(
            "sandbox",
            visit.words(),
            Map.of(
                "name", view.product().text("name"),
                "amount", amount,
                "order_id", id.value(),
                "product_id", view.id(),
                "problem", view.problem().orElse(""),
                "problem_hidden", view.problem().isPresent() ? "" : "hidden"));
    JsonText data =
        JsonText.object().putRaw("product", view.product().json()).put("order_id", id.value());
    return frame.reply(
        visit,
        status,
        new PageFrame.Content(
            visit.wording().text("sandbox.title"), "sandbox", "pay.js", Html.NOTHING, main, data));
  }

  private Map<String, Object> product(Visit visit, Fields product) {
    Wording wording = visit.wording();
    String image = product.text("image_url");
    Map<String, Object> values = new HashMap<>();
    values.put("id", product.text("id"));
    values.put("name", product.text("name"));
    values.put("image", image.isEmpty() ? frame.assets() + NO_PICTURE : image);
    values.put("price", wording.price(product));
    values.put("state", wording.state(product));
    values.put("state_text", wording.stateText(product));
    values.put("stock", wording.stock(product));
    values.put("left", product.number("remaining_stock", 0));
    values.put("total", product.number("total_stock", 0));
    return values;
  }
}
