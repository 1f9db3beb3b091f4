package fairgate.app.pages;

import fairgate.kernel.OrderId;
import fairgate.platform.http.Reply;
import fairgate.platform.json.JsonText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Draws the list of sales, a sale, the sandbox payment page and the page of what is not there.
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

  Reply list(Visit visit, List<Fields> products) {
    Html cards = Html.NOTHING;
    for (Fields product : products) {
      cards = cards.and(templates.fill("shop-card", visit.words(), product(visit, product)));
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

  Reply sale(Visit visit, int status, SaleScene scene) {
    Map<String, Object> values = product(visit, scene.product());
    Html nojs = panel.panel(scene, visit.wording());
    if (scene.problem().isPresent()) {
      String text = Html.escape(scene.problem().get());
      nojs = new Html("<p class=\"note bad\" role=\"alert\">" + text + "</p>").and(nojs);
    }
    values.put("assets", frame.assets());
    values.put("nojs", nojs);
    for (int i = 0; i < STEPS.size(); i++) {
      int at = scene.step();
      values.put("step_" + STEPS.get(i), i < at ? "done" : i == at ? "now" : "");
    }
    JsonText data = JsonText.object().putRaw("product", scene.product().json());
    scene.place().ifPresent(place -> data.putRaw("status", place.json()));
    scene.order().ifPresent(order -> data.putRaw("order", order.json()));
    return frame.reply(
        visit,
        status,
        new PageFrame.Content(
            scene.product().text("name"),
            scene.stage(),
            "sale.js",
            panel.head(scene),
            templates.fill("sale", visit.words(), values),
            data));
  }

  /// The sandbox payment page.
  ///
  /// @param scene its order is empty when this browser's newest place is another one; the module
  ///   fetches it then
  Reply sandbox(Visit visit, int status, OrderId id, SaleScene scene) {
    Optional<Fields> order = scene.order();
    String amount =
        order.map(found -> NoScriptPanel.amount(scene, found, visit.wording())).orElse("\u2026");
    Html main =
        templates.fill(
            "sandbox",
            visit.words(),
            Map.of(
                "name", scene.product().text("name"),
                "amount", amount,
                "order_id", id.value(),
                "product_id", scene.id(),
                "problem", scene.problem().orElse(""),
                "problem_hidden", scene.problem().isPresent() ? "" : "hidden"));
    JsonText data =
        JsonText.object().putRaw("product", scene.product().json()).put("order_id", id.value());
    return frame.reply(
        visit,
        status,
        new PageFrame.Content(
            visit.wording().text("sandbox.title"), "sandbox", "pay.js", Html.NOTHING, main, data));
  }

  Reply missing(Visit visit, int status, String title, String more) {
    Html main =
        templates.fill(
            "problem",
            visit.words(),
            Map.of("assets", frame.assets(), "title", title, "more", more));
    return frame.reply(visit, status, PageFrame.Content.plain(title, main));
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
