package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.catalog.Catalog;
import fairgate.catalog.Catalog.BatchOutcome;
import fairgate.catalog.PolicyJson;
import fairgate.catalog.PolicyOutcome;
import fairgate.catalog.PolicyProblem;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.draw.DrawAllocation.ClaimTimes;
import fairgate.draw.leaf.DrawRules;
import fairgate.draw.tlog.StrictText;
import fairgate.kernel.Money;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.run.BlockingWork;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A sale has the units that its draw promises, from the announcement to the report.
@Tag("slow")
class PromisedUnitsTest {
  private static final String SHUFFLE =
      "{\"pre_queue\": \"shuffle\", \"max_quantity\": 4, \"max_per_user\": 4, \"max_per_device\": 4}";

  private static Product.Draft withStock(Product.Draft was, int units) {
    Product.Details had = was.details();
    return new Product.Draft(
        new Product.Details(had.name(), had.imageUrl(), had.price(), units, had.durationDays()),
        was.policy());
  }

  private static Product.Draft fewer(Product.Draft was) {
    return withStock(was, was.details().totalStock() - 1);
  }

  private static Product.Draft more(Product.Draft was) {
    return withStock(was, was.details().totalStock() + 1);
  }

  private static Product.Draft shuffled(Product.Draft was) {
    return withPolicy(was, SHUFFLE);
  }

  private static Product.Draft withPolicy(Product.Draft was, String json) {
    if (PolicyJson.read(json) instanceof PolicyOutcome.Valid(var policy)) {
      return new Product.Draft(was.details(), policy);
    }
    throw new AssertionError("the policy is not valid: " + json);
  }

  /// The policy of the sale with other fields.
  private static UnaryOperator<Product.Draft> policy(String from, String to) {
    String draw = SHUFFLE.replace("shuffle", "draw");
    assertThat(draw).contains(from);
    return was -> withPolicy(was, draw.replace(from, to));
  }

  private static UnaryOperator<Product.Draft> closing(Instant at) {
    return policy("}", ", \"closes_at\": \"" + at + "\"}");
  }

  private static UnaryOperator<Product.Draft> priced(long price, String currency) {
    return was -> {
      Product.Details had = was.details();
      Money money = new Money(price, currency);
      return new Product.Draft(
          new Product.Details(
              had.name(), had.imageUrl(), money, had.totalStock(), had.durationDays()),
          was.policy());
    };
  }

  /// Changes the sale.
  ///
  /// @param meanwhile runs when the change has locked the product
  private static Catalog.Outcome change(
      DrawWorld world, UnaryOperator<Product.Draft> draft, Runnable meanwhile) {
    return world.catalog.update(
        world.sale.product(),
        was -> {
          meanwhile.run();
          return draft.apply(new Product.Draft(was.details(), was.policy()));
        },
        Set.of("preset", "price", "currency", "payment", "identity"),
        "test");
  }

  private static Catalog.Outcome change(DrawWorld world, UnaryOperator<Product.Draft> draft) {
    return change(world, draft, () -> {});
  }

  private static void expectRefusal(Catalog.Outcome outcome, String field) {
    assertThat(outcome)
        .isInstanceOfSatisfying(
            Catalog.Outcome.Invalid.class,
            refused ->
                assertThat(refused.problems())
                    .containsExactly(new PolicyProblem(field, "draw_is_on", List.of())));
  }

  private static void expectRefusals(DrawWorld world) {
    expectRefusal(change(world, PromisedUnitsTest::fewer, () -> {}), "total_stock");
    expectRefusal(change(world, PromisedUnitsTest::shuffled, () -> {}), "pre_queue");
    assertThat(world.product().details().totalStock()).isEqualTo(3);
  }

  @Test
  void theStockCannotBeLoweredFromTheAnnouncementToTheReport() {
    try (DrawWorld world = DrawWorld.announced(3, "")) {
      expectRefusals(world);
      world.run();
      world.clock.set(world.draw().rules().open().orElseThrow());
      world.run();
      List<PostgresEntries.Entry> entries = List.of(world.entered(1, 1), world.entered(2, 1));
      expectRefusals(world);
      world.drand.silent(true);
      world.decide();
      assertThat(world.draw().state()).isEqualTo(Draw.State.SEALED);
      expectRefusals(world);
      world.drand.silent(false);
      world.run();
      assertThat(world.draw().state()).isEqualTo(Draw.State.ALLOCATING);
      expectRefusals(world);
      entries.forEach(entry -> assertThat(world.buy(entry, 1)).startsWith("RESERVED"));
      world.run();
      assertThat(world.draw().state()).isEqualTo(Draw.State.ENDED);
      assertThat(change(world, PromisedUnitsTest::fewer, () -> {}))
          .isInstanceOf(Catalog.Outcome.Done.class);
    }
  }

  @Test
  void theStockCannotBeLoweredWhileTheDrawIsSealedOrMakesItsOffers() {
    try (DrawWorld world = DrawWorld.open(3, "")) {
      PostgresEntries.Entry entry = world.entered(1, 1);
      world.clock.set(world.draw().rules().close());
      expectRefusal(change(world, PromisedUnitsTest::fewer, world::run), "total_stock");
      assertThat(world.draw().state()).isEqualTo(Draw.State.SEALED);
      world.clock.set(world.draw().chain().timeOf(world.draw().round()));
      expectRefusal(change(world, PromisedUnitsTest::fewer, world::run), "total_stock");
      assertThat(world.draw().state()).isEqualTo(Draw.State.ALLOCATING);
      assertThat(world.buy(entry, 1)).startsWith("RESERVED");
    }
  }

  @Test
  void theTermsOfThePurchaseCannotBeChangedWhileADrawRuns() {
    Map<String, UnaryOperator<Product.Draft>> worse =
        Map.of(
            "max_quantity", policy("\"max_quantity\": 4", "\"max_quantity\": 3"),
            "max_per_user", policy("\"max_per_user\": 4", "\"max_per_user\": 3"),
            "max_per_device", policy("\"max_per_device\": 4", "\"max_per_device\": 3"),
            "identity", policy("}", ", \"identity\": \"account\"}"),
            "device_key", policy("}", ", \"device_key\": \"required\"}"),
            "payment", policy("}", ", \"payment\": \"required\", \"payment_window_seconds\": 600}"),
            "price", priced(99, "TWD"),
            "currency", priced(100, "USD"),
            "opens_at", policy("}", ", \"opens_at\": \"2090-01-01T00:00:00Z\"}"),
            "closes_at", closing(Instant.now().plusSeconds(86_400)));
    try (DrawWorld world = DrawWorld.announced(3, "")) {
      worse.forEach((field, draft) -> expectRefusal(change(world, draft), field));
      Product was = world.product();
      Catalog.Outcome unconfirmed =
          world.catalog.update(
              was.id(),
              _ -> priced(99, "TWD").apply(new Product.Draft(was.details(), was.policy())),
              Set.of(),
              "test");
      expectRefusal(unconfirmed, "price");
      assertThat(change(world, policy("\"max_quantity\": 4", "\"max_quantity\": 5")))
          .isInstanceOf(Catalog.Outcome.Done.class);
      world.run();
      assertThat(world.stores.draws().abort(DrawWorld.ID, "over", world.draw().due())).isTrue();
      worse.forEach(
          (field, draft) ->
              assertThat(change(world, draft)).as(field).isInstanceOf(Catalog.Outcome.Done.class));
    }
  }

  @Test
  void aSaleIsNotClosedWhileItsDrawRuns() {
    try (DrawWorld world = DrawWorld.open(3, "")) {
      expectRefusal(
          world.catalog.step(world.sale.product(), ProductState.Step.CLOSE, "test"), "state");
      assertThat(world.product().state()).isEqualTo(ProductState.OPEN);
      assertThat(world.stores.draws().abort(DrawWorld.ID, "over", world.draw().due())).isTrue();
      assertThat(world.catalog.step(world.sale.product(), ProductState.Step.CLOSE, "test"))
          .isInstanceOf(Catalog.Outcome.Done.class);
    }
  }

  /// The last offer outlasts the sale.
  @Test
  void aSaleMayCloseWhenItsDrawMakesNoMoreOffers() {
    Instant until = Instant.now().plusSeconds(86_400).truncatedTo(ChronoUnit.SECONDS);
    try (DrawWorld world = DrawWorld.announced(3, ", \"allocate_until\": \"" + until + "\"")) {
      expectRefusal(change(world, closing(until.minusMillis(1))), "closes_at");
      assertThat(change(world, closing(until.plusSeconds(60))))
          .isInstanceOf(Catalog.Outcome.Done.class);
      assertThat(change(world, closing(until))).isInstanceOf(Catalog.Outcome.Done.class);
      expectRefusal(change(world, closing(until.minusMillis(1))), "closes_at");
    }
  }

  @Test
  void theTimeForPayingIsNotShortenedWhileADrawRuns() {
    String paid = ", \"payment\": \"required\", \"payment_window_seconds\": %d}";
    try (DrawWorld world = DrawWorld.unannounced(3)) {
      assertThat(change(world, policy("}", paid.formatted(600))))
          .isInstanceOf(Catalog.Outcome.Done.class);
      assertThat(world.announce(world.rules(""))).isEqualTo(PostgresDraws.Created.NEW);
      expectRefusal(change(world, policy("}", paid.formatted(599))), "payment_window_seconds");
      assertThat(change(world, policy("}", paid.formatted(601))))
          .isInstanceOf(Catalog.Outcome.Done.class);
    }
  }

  /// Winners did not join, so no network counts their units.
  @Test
  void aWinnerBuysWhateverTheLimitsOfNetworks() {
    try (DrawWorld world = DrawWorld.open(3, ", \"max_quantity\": 2")) {
      PostgresEntries.Entry entry = world.entered(1, 2);
      assertThat(change(world, policy("}", ", \"units_per_ip\": 1}")))
          .isInstanceOf(Catalog.Outcome.Done.class);
      world.sale.sent("HSET", world.sale.keys().sale(), "units_ip", "1");
      world.decide();
      assertThat(world.buy(entry, 2)).startsWith("RESERVED");
    }
  }

  @Test
  void unitsThatAreAddedWhileADrawRunsComeAfterIt() {
    try (DrawWorld world = DrawWorld.open(1, "")) {
      PostgresEntries.Entry entry = world.entered(1, 1);
      PostgresEntries.Entry next = world.entered(2, 1);
      List<BatchOutcome> added = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        added.add(world.catalog.addBatch(world.sale.product(), 2, "more"));
      }
      assertThat(added.getFirst())
          .isInstanceOfSatisfying(
              BatchOutcome.Added.class, it -> assertThat(it.isAfterDraw()).isTrue());
      assertThat(added.getLast())
          .isInstanceOfSatisfying(
              BatchOutcome.Repeated.class, it -> assertThat(it.isAfterDraw()).isTrue());
      world.decide();
      PostgresEntries.Entry winner = world.buy(entry, 1).startsWith("RESERVED") ? entry : next;
      PostgresEntries.Entry loser = winner.equals(entry) ? next : entry;
      assertThat(world.buy(winner, 1)).startsWith(winner.equals(entry) ? "BOUGHT" : "RESERVED");
      world.run();
      assertThat(world.draw().state()).isEqualTo(Draw.State.ENDED);
      assertThat(world.buy(loser, 1)).doesNotStartWith("RESERVED");
      assertThat(world.catalog.addBatch(world.sale.product(), 2, "more"))
          .isInstanceOfSatisfying(
              BatchOutcome.Repeated.class, it -> assertThat(it.isAfterDraw()).isFalse());
    }
  }

  private static void expectNoDraw(DrawWorld world, String reason) {
    assertThatThrownBy(() -> world.rules(""))
        .isInstanceOf(InvalidRequest.class)
        .hasMessageContaining("product_id: " + reason);
  }

  /// Milliseconds since 1970 cannot express the second time.
  @ParameterizedTest
  @ValueSource(strings = {"2200-01-01T00:00:00Z", "+300000000-01-01T00:00:00Z"})
  void aDrawClosesBeforeTheYear2200(String closes) {
    String rules =
        """
        {"id": "late", "product_id": "880", "opens_at": "2100-01-01T00:00:00Z", "closes_at": "%s"}
        """
            .formatted(closes);
    JsonBody body = JsonBody.parse(StrictText.bytes(rules));
    try (DrawWorld world = DrawWorld.unannounced(3)) {
      assertThatThrownBy(() -> RulesDraft.read(body, world.product(), () -> 3, world.config, 1))
          .isInstanceOf(InvalidRequest.class)
          .hasMessageContaining("closes_at: not_instant");
    }
  }

  /// Only joins store the device key of a place.
  @Test
  void aSaleThatRequiresDeviceKeysHasNoDraw() {
    try (DrawWorld world = DrawWorld.unannounced(3)) {
      assertThat(change(world, policy("}", ", \"device_key\": \"required\"}")))
          .isInstanceOf(Catalog.Outcome.Done.class);
      expectNoDraw(world, "draw_device_key");
    }
  }

  @Test
  void aSaleThatClosesBeforeTheFirstOffersEndHasNoDraw() {
    try (DrawWorld world = DrawWorld.unannounced(3)) {
      long drawn = world.rules("").beacon().round();
      Instant round = Instant.ofEpochSecond(world.config.chain().timeOf(drawn));
      Instant claimed =
          Instant.ofEpochMilli(ClaimTimes.endOf(round.toEpochMilli(), 60, world.config.zone()));
      for (Instant end : List.of(round.minusSeconds(3_600), claimed.minusSeconds(1))) {
        assertThat(change(world, closing(end))).isInstanceOf(Catalog.Outcome.Done.class);
        expectNoDraw(world, "draw_closed");
      }
      assertThat(change(world, closing(claimed))).isInstanceOf(Catalog.Outcome.Done.class);
      assertThat(world.rules("").beacon().round()).isEqualTo(drawn);
      assertThat(world.catalog.step(world.sale.product(), ProductState.Step.CLOSE, "test"))
          .isInstanceOf(Catalog.Outcome.Done.class);
      expectNoDraw(world, "draw_closed");
    }
  }

  @Test
  void moreUnitsAreNoBrokenPromise() {
    try (DrawWorld world = DrawWorld.announced(3, "")) {
      assertThat(change(world, PromisedUnitsTest::more, () -> {}))
          .isInstanceOf(Catalog.Outcome.Done.class);
      assertThat(world.draw().rules().units()).isEqualTo(3);
    }
  }

  private static void awaitLock(DrawWorld world) {
    Eventually.await(
        "the other transaction waits for the product",
        () ->
            !world
                .books
                .database()
                .query(
                    "SELECT 1 FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                .await()
                .isEmpty());
  }

  /// The announcement has read the product before the change, and writes after it.
  @Test
  void anAnnouncementThatAChangeOvertakesIsRefused() {
    for (UnaryOperator<Product.Draft> draft :
        List.<UnaryOperator<Product.Draft>>of(
            PromisedUnitsTest::fewer,
            PromisedUnitsTest::shuffled,
            policy("\"max_quantity\": 4", "\"max_quantity\": 3"))) {
      try (DrawWorld world = DrawWorld.unannounced(3)) {
        DrawRules rules = world.rules("");
        List<Future<PostgresDraws.Created>> announced = new ArrayList<>();
        Catalog.Outcome changed =
            change(
                world,
                draft,
                () -> {
                  announced.add(BlockingWork.call("announce", () -> world.announce(rules)));
                  awaitLock(world);
                });
        assertThat(changed).isInstanceOf(Catalog.Outcome.Done.class);
        assertThatThrownBy(announced.getFirst()::await).isInstanceOf(ServiceUnavailable.class);
        assertThat(world.stores.draws().find(DrawWorld.ID)).isEmpty();
      }
    }
  }

  @Test
  void anAnnouncementThatAClosingOvertakesIsRefused() {
    try (DrawWorld world = DrawWorld.unannounced(3)) {
      DrawRules rules = world.rules("");
      Product open = world.product();
      assertThat(world.catalog.step(world.sale.product(), ProductState.Step.CLOSE, "test"))
          .isInstanceOf(Catalog.Outcome.Done.class);
      assertThatThrownBy(
              () -> world.stores.draws().create(rules, open, world.config.chains(), 10, "test"))
          .isInstanceOf(ServiceUnavailable.class);
    }
  }

  /// The change waits for the announcement, and finds the draw.
  @Test
  void aChangeThatAnAnnouncementOvertakesIsRefused() {
    try (DrawWorld world = DrawWorld.unannounced(3)) {
      DrawRules rules = world.rules("");
      String product = world.sale.product().value();
      Future<Catalog.Outcome> changed =
          world
              .books
              .database()
              .tx(
                  db -> {
                    // As the announcement locks and writes.
                    var _ = db.query("SELECT 1 FROM products WHERE id = $1 FOR SHARE", product);
                    Future<Catalog.Outcome> change =
                        BlockingWork.call(
                            "change", () -> change(world, PromisedUnitsTest::fewer, () -> {}));
                    awaitLock(world);
                    db.update(
                        "INSERT INTO draws (id, product_id, rules, chain, round, created_by)"
                            + " VALUES ($1, $2, $3, '', $4, 'test')",
                        DrawWorld.ID,
                        product,
                        rules.json(),
                        rules.beacon().round());
                    return change;
                  });
      expectRefusal(changed.await(), "total_stock");
    }
  }
}
