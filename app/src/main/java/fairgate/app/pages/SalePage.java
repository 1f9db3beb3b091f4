package fairgate.app.pages;

import fairgate.gate.policy.RulesInWords;
import fairgate.kernel.OrderId;
import fairgate.platform.http.Reply;
import fairgate.platform.json.JsonText;
import gg.jte.html.HtmlContent;
import java.util.List;
import java.util.Optional;

/// Renders the list of sales, a sale, and the sandbox payment page.
final class SalePage {
  /// The steps of a purchase, as in the dictionary.
  static final List<String> STEPS = List.of("check", "wait", "buy", "pay");

  private static final String NO_PICTURE = "/picture.svg";

  private final PageFrame frame;
  private final NoScriptPanel panel;

  SalePage(PageFrame frame, NoScriptPanel panel) {
    this.frame = frame;
    this.panel = panel;
  }

  /// A sale in the list and on its page.
  ///
  /// @param state see `Wording.state`
  /// @param place the visitor's position or turn in this sale; empty for none
  /// @param turn whether it is the visitor's turn
  /// @param tiers the groups that are admitted first, see `Wording.tiers`
  record Card(
      String id,
      String name,
      String image,
      String price,
      String state,
      String stateText,
      String stock,
      long left,
      long total,
      String place,
      boolean turn,
      List<String> tiers) {}

  /// @param place the visitor's newest place in any sale
  Reply list(Visit visit, List<Fields> products, Optional<Fields> place) {
    List<Card> cards =
        products.stream()
            .map(
                product ->
                    card(
                        visit,
                        product,
                        place.filter(p -> p.text("product_id").equals(product.text("id")))))
            .toList();
    String title = visit.wording().text("shop.title") + " \u00b7 Fairgate";
    return frame.reply(
        visit,
        200,
        PageFrame.Content.of(
            title,
            "shop",
            "shop.js",
            out -> JteshopGenerated.render(out, null, visit.wording(), frame.assets(), cards),
            JsonText.object()));
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

  /// @param rules the rules of risk in words
  Reply sale(Visit visit, int status, SaleView view, RulesInWords rules) {
    Card card = card(visit, view.product(), Optional.empty());
    HtmlContent withoutScript = panel.panel(view, visit.wording());
    JsonText data = JsonText.object().putRaw("product", view.product().json());
    view.place().ifPresent(place -> data.putRaw("status", place.json()));
    view.order().ifPresent(order -> data.putRaw("order", order.json()));
    return frame.reply(
        visit,
        status,
        PageFrame.Content.of(
                title(visit, view),
                view.stage(),
                "sale.js",
                out ->
                    JtesaleGenerated.render(
                        out,
                        null,
                        visit.wording(),
                        frame.assets(),
                        card,
                        rules,
                        view.step(),
                        view.problem().orElse(SaleView.Problem.NONE),
                        withoutScript),
                data)
            .withRefresh(panel.refresh(view)));
  }

  /// The sandbox payment page.
  ///
  /// @param view has no order when this browser's newest place belongs to another sale; the module
  ///   then loads it
  Reply sandbox(Visit visit, int status, OrderId id, SaleView view) {
    Optional<Fields> order = view.order();
    String amount =
        order.map(found -> NoScriptPanel.amount(view, found, visit.wording())).orElse("\u2026");
    JsonText data =
        JsonText.object().putRaw("product", view.product().json()).put("order_id", id.value());
    return frame.reply(
        visit,
        status,
        PageFrame.Content.of(
            visit.wording().text("sandbox.title"),
            "sandbox",
            "pay.js",
            out ->
                JtesandboxGenerated.render(
                    out,
                    null,
                    visit.wording(),
                    view.product().text("name"),
                    amount,
                    id.value(),
                    view.id(),
                    view.problem().map(SaleView.Problem::text).orElse("")),
            data));
  }

  /// @param place the visitor's place in this sale
  private Card card(Visit visit, Fields product, Optional<Fields> place) {
    Wording wording = visit.wording();
    String image = product.text("image_url");
    String status = place.map(fields -> fields.text("queue_status")).orElse("");
    boolean turn = status.equals("ready_to_purchase");
    return new Card(
        product.text("id"),
        product.text("name"),
        image.isEmpty() ? frame.assets() + NO_PICTURE : image,
        wording.price(product),
        wording.state(product),
        wording.stateText(product),
        wording.stock(product),
        product.number("remaining_stock", 0),
        product.number("total_stock", 0),
        switch (status) {
          case "ready_to_purchase" -> wording.text("ready.title");
          case "waiting", "active" -> {
            long ahead = place.map(SaleView::ahead).orElse(0L);
            yield visit.words().text("shop.mine", "place", wording.number(ahead + 1));
          }
          default -> "";
        },
        turn,
        wording.tiers(product));
  }
}
