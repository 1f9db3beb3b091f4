package fairgate.line.talk;

import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.line.api.ButtonAction;
import fairgate.line.api.LineMessage;
import fairgate.line.talk.Talk.Menu;
import fairgate.line.talk.Talk.PlaceBindings;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.observe.Rows;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import fairgate.platform.text.PriceText;
import fairgate.queue.Place;
import fairgate.queue.QueueService;
import fairgate.sale.ProductRoutes;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.LoggerFactory;

/// Answers about sales and queue positions.
record SaleTalk(ProductRoutes products, QueueService queue, PlaceBindings bound) {
  private static final long CALL_TIMEOUT_S = 5;

  private static final Rows ROWS =
      new Rows(LoggerFactory.getLogger(SaleTalk.class), "sales in a chat");

  /// A page of the sales, open ones first.
  ///
  /// @param from number of sales on earlier pages
  List<LineMessage> sales(Chat chat, int from, Language language) {
    List<JsonObject> all = new ArrayList<>();
    for (String json : await(products.all())) {
      JsonObject product = Json.parseObject(json);
      if (!text(product, "status").equals("closed")) {
        all.add(product);
      }
    }
    if (all.isEmpty()) {
      return List.of(
          new LineMessage.Text(Messages.text(language, "line.sales.none"), Menu.quick(language)));
    }
    all.sort(Comparator.comparing((JsonObject each) -> !text(each, "status").equals("open")));
    return List.of(
        new LineMessage.Cards(
            Messages.text(language, "line.sales.title", all.size()),
            page(all, from, chat, language)));
  }

  /// The last card leads to the next page; the last page leads to the first.
  private List<LineMessage.Card> page(
      List<JsonObject> all, int from, Chat chat, Language language) {
    int start = from < all.size() ? from : 0;
    int end = Menu.pageEnd(start, all.size(), LineMessage.COLUMNS);
    List<LineMessage.Card> cards = new ArrayList<>();
    cards.addAll(
        ROWS.of(
            all.subList(start, end), each -> card(each, chat, language), each -> text(each, "id")));
    if (start > 0 || end < all.size()) {
      String label = Messages.text(language, "line.label.more");
      cards.add(
          new LineMessage.Card(
              label,
              Messages.text(language, "line.sales.title", all.size()),
              List.of(new ButtonAction.Post(label, "action=sales&from=" + end))));
    }
    return cards;
  }

  private LineMessage.Card card(JsonObject product, Chat chat, Language language) {
    ProductId id = new ProductId(text(product, "id"));
    String status = text(product, "status");
    boolean more = status.equals("sold_out") && !text(product, "next_batch_at").isEmpty();
    String state = Messages.text(language, "line.state." + (more ? "more" : status));
    String left = text(product, "remaining_stock");
    String line =
        status.equals("sold_out") || left.isEmpty()
            ? Messages.text(language, "line.sales.card_empty", price(product, language), state)
            : Messages.text(language, "line.sales.card", price(product, language), state, left);
    boolean moves = status.equals("open") || status.equals("scheduled");
    String label = moves ? "line.label.enter" : "line.label.view";
    return new LineMessage.Card(
        text(product, "name"), line, List.of(door(chat, id, Messages.text(language, label))));
  }

  /// A link for this user in a private chat. In a group everybody would see it, so there the link
  /// binds no user.
  private ButtonAction door(Chat chat, ProductId product, String label) {
    String user = chat.userId();
    String link =
        chat.isPrivate() && user != null ? bound.joinLink(user, product) : bound.saleLink(product);
    return new ButtonAction.OpenUri(label, link);
  }

  List<LineMessage> enter(Chat chat, ProductId product, Language language) {
    Optional<JsonObject> found = await(products.find(product)).map(Json::parseObject);
    if (found.isEmpty()) {
      return List.of(
          new LineMessage.Text(
              Messages.text(language, "error.PRODUCT_NOT_FOUND"), Menu.quick(language)));
    }
    return List.of(
        new LineMessage.Cards(
            text(found.get(), "name"), List.of(card(found.get(), chat, language))));
  }

  /// The user's position in every queue joined from this chat.
  LineMessage places(Chat chat, Language language) {
    String user = chat.userId();
    if (!chat.isPrivate() || user == null) {
      return LineMessage.text(Messages.text(language, "line.place.private"));
    }
    List<String> lines = new ArrayList<>();
    for (SessionId session : bound.sessions(user)) {
      await(queue.look(session)).ifPresent(view -> lines.add(line(view.place(), language)));
    }
    return new LineMessage.Text(
        lines.isEmpty() ? Messages.text(language, "line.place.none") : String.join("\n\n", lines),
        List.of(Menu.post(language, "place"), Menu.post(language, "sales")));
  }

  /// The message that it is the buyer's turn; empty when the turn is over.
  Optional<LineMessage> turn(ProductId product, SessionId session, Language language) {
    return await(queue.look(session))
        .map(view -> view.place())
        .filter(place -> place.status() == Place.Status.READY_TO_PURCHASE)
        .map(
            place ->
                new LineMessage.Cards(
                    Messages.text(language, "line.turn.title"),
                    List.of(
                        new LineMessage.Card(
                            Messages.text(language, "line.turn.title"),
                            Messages.text(
                                language, "line.turn.text", name(product), seconds(place)),
                            List.of(
                                new ButtonAction.OpenUri(
                                    Messages.text(language, "line.label.buy"),
                                    bound.saleLink(product)))))));
  }

  private String line(Place place, Language language) {
    String name = name(place.product());
    return switch (place.status()) {
      case WAITING, ACTIVE ->
          place.orderHidden()
              ? Messages.text(language, "line.place.shuffled", name, place.inLine())
              : Messages.text(
                  language, "line.place.waiting", name, place.ahead() + 1, wait(place, language));
      case READY_TO_PURCHASE ->
          Messages.text(
              language, "line.place.ready", name, seconds(place), bound.saleLink(place.product()));
      case PURCHASED -> Messages.text(language, "line.place.purchased", name);
      case EXPIRED -> Messages.text(language, "line.place.expired", name);
    };
  }

  private static String wait(Place place, Language language) {
    long seconds = place.estimatedWaitSeconds();
    return seconds < 0
        ? Messages.text(language, "line.place.wait_unknown")
        : Messages.text(language, "line.place.wait", Math.max(1, (seconds + 59) / 60));
  }

  private static long seconds(Place place) {
    return Math.max(0, (place.timeoutAt() - place.now()) / 1000);
  }

  private String name(ProductId product) {
    return await(products.find(product))
        .map(json -> text(Json.parseObject(json), "name"))
        .orElse(product.value());
  }

  private static String price(JsonObject product, Language language) {
    long minor = product.get("price") instanceof Long price ? price : 0;
    return PriceText.of(language, minor, text(product, "currency"));
  }

  private static String text(JsonObject json, String name) {
    return Objects.toString(json.get(name), "");
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(CALL_TIMEOUT_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("no answer in " + CALL_TIMEOUT_S + " s", Duration.ofSeconds(1));
    }
  }
}
