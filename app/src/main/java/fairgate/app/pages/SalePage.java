package fairgate.app.pages;

import fairgate.catalog.ProductContent;
import fairgate.catalog.SalePolicy.PreQueue;
import fairgate.gate.policy.RulesInWords;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Reply;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Rows;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import fairgate.queue.JoinGate.Entrance;
import gg.jte.html.HtmlContent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/// Renders the list of sales, a sale, and the sandbox payment page.
record SalePage(PageFrame frame, NoScriptPanel panel, PageSources.ContentById contents) {
  /// The steps of a purchase, as in the dictionary.
  static final List<String> STEPS = List.of("check", "wait", "buy", "pay");

  /// Longer descriptions are cut by what shows shared links.
  private static final int LONGEST_SHARED = 200;

  private static final String NO_PICTURE = "/picture.svg";

  private static final Rows ROWS =
      new Rows(LoggerFactory.getLogger(SalePage.class), "the shop's sales");

  /// A sale in the list and on its page.
  ///
  /// @param state see `SaleWording.state`
  /// @param left see `SaleWording.left`
  /// @param place the visitor's position or turn in this sale; empty for none
  /// @param turn whether it is the visitor's turn
  /// @param batches that the units come in batches; empty if they do not
  /// @param tiers the groups that are admitted first, see `SaleWording.tiers`
  /// @param deposit what the page of the sale says of deposits; empty for nothing
  /// @param hasList whether the page of the sale links its waiting list, which needs a place
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
      String batches,
      List<String> tiers,
      String deposit,
      boolean hasList) {}

  /// The content of a product, in the visitor's language.
  ///
  /// @param html the description, safe to show; empty for none
  /// @param startsAt when the event begins, ISO 8601; empty for none
  /// @param starts the same for people
  /// @param facts labels and texts
  /// @param images besides the product's picture
  /// @param termsUrl empty for none
  record About(
      String html,
      String startsAt,
      String starts,
      List<OrderView.Fact> facts,
      List<String> images,
      String termsUrl) {
    boolean isEmpty() {
      return html.isEmpty()
          && startsAt.isEmpty()
          && facts.isEmpty()
          && images.isEmpty()
          && termsUrl.isEmpty();
    }
  }

  /// @param place the visitor's newest place in any sale
  Reply list(Visit visit, List<Fields> products, Optional<Fields> place) {
    List<Card> cards =
        ROWS.of(
            products,
            product ->
                card(
                    visit,
                    product,
                    place.filter(p -> p.text("product_id").equals(product.text("id"))),
                    "",
                    false),
            product -> product.text("id"));
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
  private static String title(Visit visit, SaleView view, String name) {
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
  /// @param room the waiting room before the sale
  Reply sale(
      Visit visit, int status, SaleView view, RulesInWords rules, Optional<Entrance.Before> room) {
    boolean canJoin = view.place().isPresent() || !NoScriptPanel.isGone(view, visit.wording());
    Card card =
        card(
            visit,
            view.product(),
            Optional.empty(),
            deposit(view, visit),
            canJoin && hasList(view.product()));
    ProductContent content = contents.find(new ProductId(view.id()));
    About about = about(visit, content);
    boolean tickets = content.tickets() != null;
    HtmlContent withoutScript = panel.panel(view, visit.wording(), tickets);
    JsonText data =
        JsonText.object().putRaw("product", view.product().json()).put("name", card.name());
    data.put("tickets", tickets);
    boolean behavior = frame.collectsBehavior();
    data.put("behavior", behavior);
    view.place().ifPresent(place -> data.putRaw("status", place.json()));
    view.order().ifPresent(order -> data.putRaw("order", order.json()));
    view.deposit().ifPresent(deposit -> data.putRaw("deposit", deposit.json()));
    room.ifPresent(
        before ->
            data.put(
                "room", JsonText.object().put("id", before.id()).put("waits", before.waits())));
    return frame.reply(
        visit,
        status,
        PageFrame.Content.of(
                title(visit, view, card.name()),
                view.stage(),
                "sale.js",
                out ->
                    JtesaleGenerated.render(
                        out,
                        null,
                        visit.wording(),
                        frame.assets(),
                        card,
                        about,
                        rules,
                        behavior,
                        view.step(),
                        view.problem().orElse(SaleView.Problem.NONE),
                        withoutScript),
                data)
            .withRefresh(panel.refresh(view))
            .withShare(share(visit, card, content)));
  }

  private static About about(Visit visit, ProductContent content) {
    Wording w = visit.wording();
    List<OrderView.Fact> facts = new ArrayList<>();
    Instant starts = content.startsAt();
    if (!content.venue().isEmpty()) {
      facts.add(new OrderView.Fact(w.text("about.venue"), content.venue()));
    }
    if (!content.seller().isEmpty()) {
      facts.add(new OrderView.Fact(w.text("about.seller"), content.seller()));
    }
    return new About(
        content.description(visit.language()).map(ProductContent.Description::html).orElse(""),
        starts == null ? "" : starts.toString(),
        starts == null ? "" : w.time(starts),
        List.copyOf(facts),
        content.images(),
        content.termsUrl());
  }

  private static PageFrame.Share share(Visit visit, Card card, ProductContent content) {
    String plain =
        content
            .description(visit.language())
            .map(ProductContent.Description::plain)
            .orElse("")
            .replaceAll("\\s+", " ");
    int end = Math.min(plain.codePointCount(0, plain.length()), LONGEST_SHARED);
    String image = content.images().isEmpty() ? card.image() : content.images().getFirst();
    return new PageFrame.Share(
        card.name(),
        plain.substring(0, plain.offsetByCodePoints(0, end)),
        image.startsWith("https://") ? image : "");
  }

  /// The sandbox payment page of an order.
  ///
  /// @param isAway whether the provider has just not answered, as the problem says
  Reply sandbox(Visit visit, int status, OrderId id, SaleView view, Fields order) {
    String amount = NoScriptPanel.amount(view, order, visit.wording());
    JsonText data =
        JsonText.object()
            .putRaw("product", view.product().json())
            .put("order_id", id.value())
            .put("back", DepositPages.after(id));
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
                    id.isDeposit(),
                    amount,
                    id.value(),
                    DepositPages.after(id),
                    OrderView.Deadline.of(order, visit.wording()),
                    view.problem().map(SaleView.Problem::text).orElse("")),
            data));
  }

  /// @param place the visitor's place in this sale
  /// @param deposit see `Card`
  /// @param hasList see `Card`
  private Card card(
      Visit visit, Fields product, Optional<Fields> place, String deposit, boolean hasList) {
    Wording wording = visit.wording();
    SaleWording sale = new SaleWording(wording);
    ProductContent content = contents.find(new ProductId(product.text("id")));
    String image =
        product.text("image_url").isEmpty() && !content.images().isEmpty()
            ? content.images().getFirst()
            : product.text("image_url");
    String status = place.map(fields -> fields.text("queue_status")).orElse("");
    boolean turn = status.equals("ready_to_purchase");
    return new Card(
        product.text("id"),
        content.name(visit.language(), product.text("name")),
        image.isEmpty() ? frame.assets() + NO_PICTURE : image,
        sale.price(product),
        sale.state(product),
        sale.stateText(product),
        sale.stock(product),
        SaleWording.left(product),
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
        sale.batches(product),
        sale.tiers(product),
        deposit,
        hasList);
  }

  /// That the deposit is paid, or how the last one has ended, and how to join with one, if the
  /// visitor could.
  private static String deposit(SaleView view, Visit visit) {
    Wording w = visit.wording();
    return view.deposit("paid")
        .map(paid -> new SaleWording(w).paidDeposit(paid, view.product()))
        .orElseGet(() -> w.sentences(NoScriptPanel.endOfDeposit(view, w), offer(view, w)));
  }

  /// How to join with a deposit; empty for a visitor who could not. For a draw it is told before
  /// people can enter as well, with what becomes of the deposit.
  private static String offer(SaleView view, Wording w) {
    Fields product = view.product();
    long amount = product.number("deposit", 0);
    boolean isOffered = view.deposit().filter(it -> it.isTrue("offered")).isPresent();
    boolean isDrawn = NoScriptPanel.isDrawn(view);
    boolean hasNone = view.deposit().filter(it -> it.text("status").isEmpty()).isPresent();
    boolean isIdle =
        view.stage().equals("idle") && !new SaleWording(w).state(product).equals("closed");
    if (amount <= 0 || !(isOffered || (isDrawn && hasNone && isIdle))) {
      return "";
    }
    String money = w.money(amount, product.text("currency"));
    return isDrawn
        ? w.sentences(
            w.words().text("deposit.draw.line", "amount", money),
            w.text("deposit.more"),
            w.text(SaleWording.onPass(product.text("deposit_passed"), true)))
        : w.words().text("deposit.line", "amount", money);
  }

  /// An offer of a waiting list has to be paid, and a draw has its own order.
  private static boolean hasList(Fields product) {
    return product.isTrue("payment_required")
        && !product.text("pre_queue").equals(PreQueue.DRAW.word());
  }
}
