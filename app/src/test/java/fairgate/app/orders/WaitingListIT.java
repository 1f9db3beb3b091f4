package fairgate.app.orders;

import static fairgate.app.orders.PlainBrowser.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// People register for a sold-out sale, and units that come back are reserved for them in order.
/// Two nodes run, so that both offer.
class WaitingListIT {
  private static final Pattern OFFER = Pattern.compile("id=\"offer\" href=\"/o/(order_[^\"]+)\"");
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600, "max_quantity": 2,
       "max_per_user": 2, "active_capacity": 50, "ready_slots": 50, "unpaid_cooldown_seconds": 0,
       "places_per_ip": null, "units_per_ip": null}
      """;
  private static final AtomicLong PRODUCTS = new AtomicLong(9_900);

  private static PostgresAddress database;
  private static TestFairgate server;
  private static TestFairgate other;

  private final String product = Long.toString(PRODUCTS.getAndIncrement());

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    database = TestEngines.shared().freshDatabase();
    server = TestFairgate.start(TestEngines.shared(), database, Map.of());
    other = TestFairgate.start(TestEngines.shared(), database, Map.of());
  }

  @AfterAll
  static void stop() {
    other.close();
    server.close();
  }

  private void open(int stock) {
    server.createProduct(product, stock, POLICY);
    server.openSale(product);
  }

  private PlainBrowser joined() {
    PlainBrowser browser = new PlainBrowser(server);
    browser.join(product);
    return browser;
  }

  /// Buys units; returns the id of the order.
  private String buy(PlainBrowser browser, int quantity) {
    return browser.buy(product, quantity).path("order_id").asText();
  }

  /// Sells everything; returns the order.
  private String soldOut(int stock) {
    open(stock);
    return buy(joined(), stock);
  }

  private HttpResponse<String> register(PlainBrowser browser, int quantity) {
    return browser.form(list(), "quantity=" + quantity);
  }

  private PlainBrowser registered(int quantity) {
    PlainBrowser browser = joined();
    HttpResponse<String> reply = register(browser, quantity);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(303);
    return browser;
  }

  private String list() {
    return "/p/" + product + "/waiting-list";
  }

  private String page(PlainBrowser browser) {
    HttpResponse<String> page = browser.page(list());
    assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
    return page.body();
  }

  /// The order that was reserved for this person.
  private String offer(PlainBrowser browser) {
    String page = Eventually.get("an offer", () -> page(browser), OFFER.asPredicate());
    Matcher offer = OFFER.matcher(page);
    assertThat(offer.find()).isTrue();
    return offer.group(1);
  }

  private boolean hasOffer(PlainBrowser browser) {
    return OFFER.matcher(page(browser)).find();
  }

  private void cancel(String order) {
    server.cancelOrder(order);
  }

  private JsonNode waitingList(String query) {
    return json(server.admin("GET", "/products/" + product + "/waiting-list" + query, ""));
  }

  private static String sql(String query) {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    } catch (SQLException e) {
      throw new AssertionError(query, e);
    }
  }

  private static String redis(String... command) {
    return RespConnection.call(TestEngines.shared().redisUri(), command);
  }

  /// The ledger has a reservation moments later.
  private void ledgerHasBothUnits() {
    String totals =
        "SELECT held + confirmed || ' of ' || released FROM sale_totals WHERE product_id = '"
            + product
            + "'";
    Eventually.await("both units are held or sold", () -> sql(totals).equals("2 of 2"));
  }

  @Test
  void unitsThatComeBackAreReservedInTheOrderOfRegistration() {
    String sold = soldOut(2);
    PlainBrowser first = registered(1);
    PlainBrowser second = registered(1);
    PlainBrowser third = registered(1);
    assertThat(page(first)).contains("number 1");
    assertThat(page(third)).contains("number 3");
    JsonNode list = waitingList("?limit=2");
    assertThat(list.path("counts").path("waiting").toString())
        .isEqualTo("{\"people\":3,\"units\":3}");
    assertThat(list.path("entries")).hasSize(2);
    assertThat(waitingList("?after=" + list.path("after").asText()).path("entries")).hasSize(1);
    assertThat(waitingList("?state=withdrawn").path("entries")).isEmpty();
    Eventually.await(
        "the metric has the people",
        () -> server.metrics().body().matches("(?s).*fairgate_waiting_list_people [1-9].*"));
    cancel(sold);
    String one = offer(first);
    String two = offer(second);
    assertThat(hasOffer(third)).isFalse();
    assertThat(page(third)).contains("number 1");
    assertThat(first.page("/o/" + one).body()).contains("Waiting for payment");
    assertThat(second.call("GET", "/o/" + one, "").statusCode())
        .as("the order of somebody else")
        .isEqualTo(404);
    assertThat(first.call("POST", "/api/orders/" + one + "/pay", "").statusCode()).isEqualTo(200);
    // An offer that is not taken goes to the next.
    cancel(two);
    String three = offer(third);
    assertThat(waitingList("?state=offered").path("entries").toString())
        .contains(one, two, three, "\"registered_at\"");
    ledgerHasBothUnits();
  }

  @Test
  void addedStockIsOfferedAndAnOfferIsToldOnce() {
    var _ = soldOut(1);
    List<PlainBrowser> people = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      people.add(registered(1));
    }
    var _ =
        server.admin(
            "POST", "/products/" + product + "/stock", "{\"quantity\":5,\"key\":\"more\"}");
    for (PlainBrowser each : people) {
      var _ = offer(each);
    }
    String told =
        "SELECT count(*) FROM receipts r JOIN standby_entries e ON e.order_id = r.order_id"
            + " WHERE r.event = 'offered' AND e.product_id = '"
            + product
            + "'";
    Eventually.await("each is told once", () -> sql(told).equals("5"));
    assertThat(
            sql(
                "SELECT count(DISTINCT order_id) FROM standby_entries WHERE product_id = '"
                    + product
                    + "'"))
        .isEqualTo("5");
  }

  @Test
  void whoJoinedBeforeTheRegistrationComesFirstAndWhoJoinsLaterAfterTheList() {
    String sold = soldOut(1);
    PlainBrowser before = joined();
    PlainBrowser listed = registered(1);
    PlainBrowser later = joined();
    Eventually.await(
        "who joined later is told of the place and the person before",
        () -> later.call("GET", "/api/queue/status", "").body().contains("\"people_ahead\":2"));
    cancel(sold);
    String bought = buy(before, 1);
    assertThat(hasOffer(listed)).isFalse();
    cancel(bought);
    String offered = offer(listed);
    assertThat(later.call("GET", "/api/queue/status", "").body()).contains("\"waiting\"");
    cancel(offered);
    assertThat(buy(later, 1)).isNotEmpty();
  }

  @Test
  void aListThatHasEndedWithoutAWordDoesNotHoldTheQueue() {
    String sold = soldOut(1);
    PlainBrowser later = joined();
    // A node died after the last entry had ended, before it could tell the queue.
    String notice = "event:%s:sale list_from 1 list_units 1 list_told_at 1".formatted(product);
    assertThat(redis(("HSET " + notice).split(" ", -1))).isNotEmpty();
    cancel(sold);
    assertThat(buy(later, 1)).isNotEmpty();
  }

  @Test
  void theFirstWaitsForAsManyUnitsAsWishedAndPeopleInTheQueueComeFirst() {
    String sold = soldOut(1);
    PlainBrowser two = registered(2);
    PlainBrowser inLine = joined();
    cancel(sold);
    // The unit goes to the person in the queue, who is still there.
    String bought = buy(inLine, 1);
    assertThat(hasOffer(two)).isFalse();
    cancel(bought);
    assertThat(hasOffer(two)).isFalse();
    var _ =
        server.admin(
            "POST", "/products/" + product + "/stock", "{\"quantity\":1,\"key\":\"more\"}");
    var _ = offer(two);
  }

  @Test
  void aPersonIsOnTheListOnceAndCanLeaveIt() {
    String sold = soldOut(1);
    PlainBrowser person = registered(1);
    assertThat(register(person, 1).statusCode()).isEqualTo(303);
    assertThat(sql("SELECT count(*) FROM standby_entries WHERE product_id = '" + product + "'"))
        .isEqualTo("1");
    PlainBrowser next = registered(1);
    assertThat(person.call("POST", list() + "/leave", "").statusCode()).isEqualTo(303);
    assertThat(page(person)).contains("id=\"register\"");
    cancel(sold);
    var _ = offer(next);
    assertThat(hasOffer(person)).isFalse();
  }

  @Test
  void whoMayNotRegisterIsTold() {
    open(2);
    PlainBrowser buyer = joined();
    assertThat(register(buyer, 1).body()).contains("Units are free");
    String order = buy(buyer, 2);
    assertThat(order).isNotEmpty();
    assertThat(register(buyer, 1).statusCode()).as("has bought").isEqualTo(409);
    assertThat(register(new PlainBrowser(server), 1).body()).contains("Join the line first");
    PlainBrowser person = joined();
    for (int quantity : List.of(0, 3, 99)) {
      assertThat(register(person, quantity).statusCode()).as("" + quantity).isEqualTo(400);
    }
    assertThat(server.call("GET", "/p/424242/waiting-list", "").statusCode()).isEqualTo(404);
    assertThat(
            server.call("POST", list(), "quantity=1", "Sec-Fetch-Site", "cross-site").statusCode())
        .isEqualTo(403);
  }

  @Test
  void betweenBatchesTheListTellsWhenUnitsCome() {
    String batches =
        """
        "batches": [{"at": "2020-01-01T00:00:00Z", "quantity": 1},
                    {"at": "2099-01-01T00:00:00Z", "quantity": 1}], "preset"
        """;
    server.createProduct(product, 2, POLICY.replace("\"preset\"", batches.strip()));
    server.openSale(product);
    assertThat(buy(joined(), 1)).isNotEmpty();
    // Nobody is admitted while nothing is free: this person is next, and its place says `waiting`.
    PlainBrowser person = joined();
    assertThat(
            Eventually.get(
                "the first batch was released",
                () -> page(person),
                it -> it.contains("More units go on sale: in ")))
        .contains("id=\"register\"", "give up your place")
        .doesNotContain("Everything is sold");
    assertThat(register(person, 1).statusCode()).isEqualTo(303);
    assertThat(page(person)).contains("number 1", "More units go on sale: in ");
    assertThat(person.page(list()).headers().firstValue("refresh")).isPresent();
    // The page of a person on the list shows that the sale can be reached.
    String sale = "event:" + product + ":sale";
    var _ = redis("HSET", sale, "contact_at", "1");
    Eventually.await(
        "contact", () -> !page(person).isEmpty() && redis("HGET", sale, "contact_at").length() > 1);
  }

  @Test
  void aTryThatWasInterruptedReservesOnce() {
    String sold = soldOut(2);
    PlainBrowser first = registered(1);
    PlainBrowser second = registered(1);
    // A node has begun a try and died: the entry is taken over when its lease has ended.
    assertThat(
            sql(
                "UPDATE standby_entries SET state = 'offering', offer = gen_random_uuid(),"
                    + " next_at = now() WHERE product_id = '"
                    + product
                    + "' AND place = (SELECT min(place) FROM standby_entries WHERE product_id = '"
                    + product
                    + "') RETURNING state"))
        .isEqualTo("offering");
    cancel(sold);
    String one = offer(first);
    var _ = offer(second);
    // A node has reserved the units and died before it could write so.
    assertThat(
            sql(
                "UPDATE standby_entries SET state = 'offering', order_id = NULL, next_at = now()"
                    + " WHERE order_id = '"
                    + one
                    + "' RETURNING state"))
        .isEqualTo("offering");
    assertThat(offer(first)).isEqualTo(one);
    ledgerHasBothUnits();
    String told = "SELECT count(*) FROM receipts WHERE id = '" + one + ":offered'";
    Eventually.await("told once", () -> sql(told).equals("1"));
  }
}
