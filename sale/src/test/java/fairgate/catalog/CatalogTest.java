package fairgate.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.catalog.Catalog.BatchOutcome;
import fairgate.catalog.Catalog.StockBatch;
import fairgate.catalog.Product.Details;
import fairgate.catalog.SalePolicy.PlannedBatch;
import fairgate.catalog.SalePolicy.Preset;
import fairgate.catalog.SalePolicy.Schedule;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.sale.ledger.LedgerFixture;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
final class CatalogTest {
  private static final Instant NOON = Instant.parse("2026-11-11T12:00:00Z");
  private static final AtomicInteger IDS = new AtomicInteger();

  @SuppressWarnings("NullAway.Init")
  private static LedgerFixture books;

  @SuppressWarnings("NullAway.Init")
  private static Catalog catalog;

  private final ProductId id = new ProductId(Integer.toString(IDS.incrementAndGet()));

  @BeforeAll
  static void open() {
    books = LedgerFixture.fresh(TestEngines.shared());
    catalog = Catalog.open(books.database());
  }

  @AfterAll
  static void close() {
    catalog.close();
    books.close();
  }

  @Test
  void aCreatedProductIsInMemoryAtOnce() {
    Catalog.Outcome outcome = create(details(10), Preset.FLASH.policy());

    assertThat(outcome).isInstanceOf(Catalog.Outcome.Done.class);
    Product product = catalog.find(id).orElseThrow();
    assertThat(product.details()).isEqualTo(details(10));
    assertThat(product.policy()).isEqualTo(Preset.FLASH.policy());
    assertThat(product.state()).isEqualTo(ProductState.SCHEDULED);
    assertThat(product.policyVersion()).isEqualTo(1);
  }

  @Test
  void creatingAgainIsARepeatWhenEqualAndAConflictWhenNot() {
    var _ = create(details(10), Preset.QUEUE.policy());

    assertThat(create(details(10), Preset.QUEUE.policy()))
        .isInstanceOf(Catalog.Outcome.Unchanged.class);
    assertThat(create(details(11), Preset.QUEUE.policy()))
        .isInstanceOf(Catalog.Outcome.Exists.class);
    assertThat(create(details(10), Preset.FLASH.policy()))
        .isInstanceOf(Catalog.Outcome.Exists.class);
  }

  @Test
  void impossibleProductsAreRefusedWithAllTheirProblems() {
    Details wrong = new Details(" ", "", new Money(1L << 50, "twd"), 5, 0);

    assertThat(create(wrong, scheduled(new PlannedBatch(NOON, 4))))
        .isInstanceOfSatisfying(
            Catalog.Outcome.Invalid.class,
            invalid ->
                assertThat(invalid.problems())
                    .extracting(PolicyProblem::field)
                    .containsExactly("name", "price", "currency", "duration_days", "total_stock"));
    assertThat(catalog.find(id)).isEmpty();
  }

  @Test
  void aCurrencyThatNoCountryPaysWithIsRefused() {
    for (String code : List.of("NTD", "XXX", "XAU", "DEM", "dollars")) {
      Money price = new Money(100, code.substring(0, 3));
      assertThat(create(new Details("a thing", "", price, 5, null), Preset.QUEUE.policy()))
          .isEqualTo(
              new Catalog.Outcome.Invalid(List.of(PolicyProblem.of("currency", "currency"))));
    }
    assertThat(catalog.find(id)).isEmpty();
  }

  @Test
  void aPolicyThatCannotBeReadHidesItsProductOnly() {
    ProductId broken = new ProductId("98765");
    var _ = create(details(10), Preset.QUEUE.policy());
    var _ = catalog.create(broken, details(10), Preset.QUEUE.policy(), "test");
    String change = "UPDATE sale_policies SET policy = $2::text::jsonb WHERE product_id = $1";
    int _ = books.database().tx(db -> db.update(change, broken.value(), "{\"preset\":\"x\"}"));
    try (Catalog other = Catalog.open(books.database())) {
      assertThat(other.find(id)).isPresent();
      assertThat(other.find(broken)).isEmpty();
    }
    int _ = books.database().tx(db -> db.update(change, broken.value(), "{}"));
  }

  @Test
  void aChangedPolicyIsANewVersionAndTheOldOneIsKept() {
    var _ = create(details(10), Preset.QUEUE.policy());
    long version = catalog.find(id).orElseThrow().version();

    var _ = update(id, details(10), Preset.FLASH.policy());

    Product product = catalog.find(id).orElseThrow();
    assertThat(product.policyVersion()).isEqualTo(2);
    assertThat(product.policy()).isEqualTo(Preset.FLASH.policy());
    assertThat(product.version()).isGreaterThan(version);
    assertThat(
            books.query(
                "SELECT version, active, actor FROM sale_policies WHERE product_id = $1 ORDER BY 1",
                id.value()))
        .extracting(r -> r.getInteger(0) + " " + r.getBoolean(1) + " " + r.getString(2))
        .containsExactly("1 false test", "2 true ann");
    assertThat(update(id, details(10), Preset.FLASH.policy()))
        .isInstanceOf(Catalog.Outcome.Unchanged.class);
    assertThat(update(new ProductId("999"), details(1), Preset.FLASH.policy()))
        .isInstanceOf(Catalog.Outcome.UnknownProduct.class);
  }

  @Test
  void stockIsPlannedAnewOnlyUntilTheFirstUnitsAreOut() {
    var _ = create(details(10), Preset.QUEUE.policy());
    assertThat(update(id, details(20), Preset.QUEUE.policy()))
        .isInstanceOf(Catalog.Outcome.Done.class);
    var _ = catalog.step(id, ProductState.Step.OPEN, "ann");
    var _ = release(NOON);

    assertThat(update(id, details(30), Preset.QUEUE.policy()))
        .isInstanceOf(Catalog.Outcome.Invalid.class);
    assertThat(released()).isEqualTo(20);
    Details renamed = new Details("new name", "", new Money(5, "TWD"), 20, null);
    assertThat(update(id, renamed, Preset.QUEUE.policy())).isInstanceOf(Catalog.Outcome.Done.class);
  }

  @Test
  void theStatesOfASale() {
    var _ = create(details(1), Preset.QUEUE.policy());

    assertThat(step(ProductState.Step.RESUME)).isEqualTo("conflict SCHEDULED");
    assertThat(step(ProductState.Step.OPEN)).isEqualTo("done OPEN");
    assertThat(step(ProductState.Step.OPEN)).isEqualTo("unchanged OPEN");
    assertThat(step(ProductState.Step.PAUSE)).isEqualTo("done PAUSED");
    assertThat(step(ProductState.Step.OPEN)).isEqualTo("conflict PAUSED");
    assertThat(step(ProductState.Step.RESUME)).isEqualTo("done OPEN");
    assertThat(step(ProductState.Step.CLOSE)).isEqualTo("done CLOSED");
    assertThat(step(ProductState.Step.CLOSE)).isEqualTo("unchanged CLOSED");
    assertThat(step(ProductState.Step.RESUME)).isEqualTo("conflict CLOSED");
    assertThat(catalog.find(id).orElseThrow().state()).isEqualTo(ProductState.CLOSED);
  }

  @Test
  void aSaleThatItsTimeHasClosedIsNotPausedAndTakesNoStock() {
    SalePolicy ended = with(new Schedule(null, Instant.now().minusSeconds(60), List.of()));
    var _ = create(details(10), Preset.QUEUE.policy());
    var _ = catalog.step(id, ProductState.Step.OPEN, "ann");
    var _ = update(id, details(10), ended);
    for (ProductState.Step step :
        List.of(ProductState.Step.PAUSE, ProductState.Step.RESUME, ProductState.Step.OPEN)) {
      assertThat(step(step)).as(step.word()).isEqualTo("conflict CLOSED");
    }
    assertThat(catalog.addBatch(id, 5, "late"))
        .isEqualTo(new BatchOutcome.StateConflict(ProductState.CLOSED));
    Details dearer = new Details("a thing", "/thing.png", new Money(200, "TWD"), 10, 30);
    assertThat(catalog.update(id, _ -> new Product.Draft(dearer, ended), Set.of(), "ann"))
        .as("purchase windows outlast the end")
        .isInstanceOf(Catalog.Outcome.Unconfirmed.class);

    var _ = update(id, details(10), with(Schedule.NONE));
    assertThat(step(ProductState.Step.PAUSE)).isEqualTo("done PAUSED");
    var _ = update(id, details(10), ended);
    assertThat(step(ProductState.Step.CLOSE)).isEqualTo("done CLOSED");
    assertThat(step(ProductState.Step.CLOSE)).isEqualTo("unchanged CLOSED");
  }

  @Test
  void aProductThatOlderVersionsTookWithoutAPriceCanBeChanged() {
    var _ = create(details(10), Preset.FLASH.policy());
    assertThat(update(id, free("a thing"), Preset.FLASH.policy()))
        .isEqualTo(
            new Catalog.Outcome.Invalid(List.of(PolicyProblem.of("price", "nothing_to_pay"))));
    var _ =
        books
            .database()
            .tx(db -> db.update("UPDATE products SET price = 0 WHERE id = $1", id.value()));
    assertThat(update(id, free("renamed"), Preset.FLASH.policy()))
        .isInstanceOf(Catalog.Outcome.Done.class);
  }

  private static Details free(String name) {
    return new Details(name, "", new Money(0, "TWD"), 10, null);
  }

  @Test
  void allUnitsComeAtTheOpeningWhenNothingElseIsPlanned() {
    var _ = create(details(10), Preset.QUEUE.policy());
    assertThat(due(NOON)).isEmpty();
    var _ = catalog.step(id, ProductState.Step.OPEN, "ann");

    assertThat(due(NOON)).extracting(StockBatch::quantity).containsExactly(10);
    assertThat(release(NOON)).extracting(StockBatch::release).containsExactly(1);
    assertThat(due(NOON)).isEmpty();
  }

  @Test
  void theOpeningTimeOpensAScheduledSale() {
    SalePolicy policy = with(new Schedule(NOON, NOON.plusSeconds(60), List.of()));
    var _ = create(details(10), policy);

    assertThat(due(NOON.minusMillis(1))).isEmpty();
    assertThat(due(NOON)).hasSize(1);
    assertThat(due(NOON.plusSeconds(60))).isEmpty();
  }

  @Test
  void aPauseOfAScheduledSaleReleasesNothingAndItsEndOpensNothing() {
    Instant monthAhead = Instant.now().plus(Duration.ofDays(30)).truncatedTo(ChronoUnit.MICROS);
    var _ = create(details(10), with(new Schedule(monthAhead, null, List.of())));
    assertThat(step(ProductState.Step.PAUSE)).isEqualTo("done PAUSED");
    assertThat(due(Instant.now())).isEmpty();
    assertThat(step(ProductState.Step.RESUME)).isEqualTo("done SCHEDULED");
    assertThat(due(Instant.now())).isEmpty();
    assertThat(due(monthAhead)).hasSize(1);
  }

  @Test
  void aPauseOfASaleThatNobodyHasOpenedDoesNotOpenIt() {
    var _ = create(details(10), Preset.QUEUE.policy());
    assertThat(step(ProductState.Step.PAUSE)).isEqualTo("done PAUSED");
    assertThat(due(Instant.now())).isEmpty();
    assertThat(step(ProductState.Step.RESUME)).isEqualTo("done SCHEDULED");
  }

  @Test
  void openingAheadOfTimeRemovesTheTime() {
    Instant monthAhead = Instant.now().plus(Duration.ofDays(30)).truncatedTo(ChronoUnit.MICROS);
    var _ = create(details(10), with(new Schedule(monthAhead, null, List.of())));
    assertThat(step(ProductState.Step.OPEN)).isEqualTo("done OPEN");
    Product open = catalog.find(id).orElseThrow();
    assertThat(open.policy().schedule().opensAt()).isNull();
    assertThat(open.policyVersion()).isEqualTo(2);
    assertThat(due(Instant.now())).hasSize(1);
    assertThat(step(ProductState.Step.PAUSE)).isEqualTo("done PAUSED");
    assertThat(step(ProductState.Step.RESUME)).isEqualTo("done OPEN");
  }

  @Test
  void aSaleThatHasOpenedStaysOpenWhenItsTimeIsRemovedAndWaitsWhenItIsMoved() {
    Instant past = Instant.now().minusSeconds(60).truncatedTo(ChronoUnit.MICROS);
    var _ = create(details(10), with(new Schedule(past, null, List.of())));
    var _ = update(id, details(10), with(Schedule.NONE));
    assertThat(catalog.find(id).orElseThrow().state()).isEqualTo(ProductState.OPEN);
    assertThat(step(ProductState.Step.PAUSE)).isEqualTo("done PAUSED");
    assertThat(step(ProductState.Step.RESUME)).isEqualTo("done OPEN");
    Schedule later = new Schedule(past.plus(Duration.ofDays(1)), null, List.of());
    var _ = update(id, details(10), with(later));
    assertThat(catalog.find(id).orElseThrow().state()).isEqualTo(ProductState.SCHEDULED);
    assertThat(step(ProductState.Step.OPEN)).isEqualTo("done OPEN");
    var _ = update(id, details(10), with(later));
    assertThat(step(ProductState.Step.PAUSE)).isEqualTo("done PAUSED");
    assertThat(step(ProductState.Step.RESUME)).isEqualTo("done SCHEDULED");
  }

  @Test
  void whatComesBetweenTwoMillisecondsIsDueAtTheEarlierOne() {
    Instant between = NOON.plusNanos(700_000);
    var _ = create(details(10), with(new Schedule(between, null, List.of())));
    assertThat(due(NOON)).as("the same ms as Redis opens the sale").hasSize(1);
    var _ = update(id, details(10), scheduled(new PlannedBatch(between, 10)));
    assertThat(due(NOON)).hasSize(1);
  }

  @Test
  void batchesComeAtTheirTimesAndUnitsAddedComeInBetween() {
    var _ =
        create(
            details(30),
            scheduled(new PlannedBatch(NOON, 10), new PlannedBatch(NOON.plusSeconds(60), 20)));
    assertThat(catalog.find(id).orElseThrow().nextBatchAt()).isEqualTo(NOON);
    var _ = catalog.step(id, ProductState.Step.OPEN, "ann");
    var _ = release(NOON);
    assertThat(catalog.find(id).orElseThrow().nextBatchAt()).isEqualTo(NOON.plusSeconds(60));
    assertThat(catalog.addBatch(id, 5, "more")).isInstanceOf(BatchOutcome.Added.class);

    assertThat(due(NOON.plusSeconds(59))).extracting(StockBatch::seq).containsExactly(3);
    assertThat(release(NOON.plusSeconds(59))).hasSize(2);
    assertThat(release(NOON.plusSeconds(60))).hasSize(3);
    assertThat(catalog.releasedAfter(Map.of(id, 1)))
        .extracting(b -> b.release() + ":" + b.quantity())
        .containsExactly("2:5", "3:20");
    assertThat(catalog.find(id).orElseThrow().details().totalStock()).isEqualTo(35);
    assertThat(released()).isEqualTo(35);
  }

  @Test
  void unitsAreAddedOncePerKey() {
    var _ = create(details(1), Preset.QUEUE.policy());

    assertThat(catalog.addBatch(id, 5, "initial")).isInstanceOf(BatchOutcome.Added.class);
    assertThat(catalog.addBatch(id, 5, "initial")).isInstanceOf(BatchOutcome.Repeated.class);
    assertThat(catalog.addBatch(id, 6, "initial")).isInstanceOf(BatchOutcome.KeyTaken.class);
    assertThat(catalog.addBatch(id, 0, "k")).isInstanceOf(BatchOutcome.Invalid.class);
    assertThat(catalog.addBatch(new ProductId("999"), 1, "k"))
        .isInstanceOf(BatchOutcome.UnknownProduct.class);
    var _ = catalog.step(id, ProductState.Step.CLOSE, "ann");
    assertThat(catalog.addBatch(id, 5, "initial")).isInstanceOf(BatchOutcome.Repeated.class);
    assertThat(catalog.addBatch(id, 5, "late")).isInstanceOf(BatchOutcome.StateConflict.class);
    assertThat(catalog.find(id).orElseThrow().details().totalStock()).isEqualTo(6);
  }

  @Test
  void aProductWithAllTheUnitsThereCanBeTakesNoMoreAndSaysSo() {
    var _ = create(details(PolicyJson.MOST_UNITS), Preset.QUEUE.policy());

    assertThat(catalog.addBatch(id, 1, "k"))
        .isEqualTo(new BatchOutcome.Invalid(PolicyProblem.of("quantity", "no_room", "1000000000")));
  }

  @Test
  void anyNumberOfNodesReleaseABatchOnce() {
    var _ = create(details(10), Preset.QUEUE.policy());
    var _ = catalog.step(id, ProductState.Step.OPEN, "ann");
    Set<List<StockBatch>> seen = ConcurrentHashMap.newKeySet();
    try (ExecutorService nodes = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 16; i++) {
        nodes.execute(() -> seen.add(release(NOON)));
      }
    }

    assertThat(seen).hasSize(1);
    assertThat(released()).isEqualTo(10);
  }

  @Test
  void whatAnotherNodeChangesIsSeenSoon() {
    var _ = create(details(1), Preset.QUEUE.policy());
    List<Product> told = new ArrayList<>();
    try (Catalog other = Catalog.open(books.database())) {
      other.watch(
          changed -> {
            synchronized (told) {
              told.addAll(changed);
            }
          });
      var _ = catalog.step(id, ProductState.Step.OPEN, "ann");

      LedgerFixture.eventually(
          "seen", () -> other.find(id).orElseThrow().state() == ProductState.OPEN);
      LedgerFixture.eventually("told", () -> wasTold(told));
    }
  }

  private boolean wasTold(List<Product> told) {
    synchronized (told) {
      return told.stream().anyMatch(p -> p.id().equals(id) && p.state() == ProductState.OPEN);
    }
  }

  private Catalog.Outcome create(Details details, SalePolicy policy) {
    return catalog.create(id, details, policy, "test");
  }

  private Catalog.Outcome update(ProductId product, Details details, SalePolicy policy) {
    Set<String> all = Set.of("payment", "price", "currency", "preset");
    return catalog.update(product, _ -> new Product.Draft(details, policy), all, "ann");
  }

  private String step(ProductState.Step step) {
    return switch (catalog.step(id, step, "ann")) {
      case Catalog.Outcome.Done(Product product) -> "done " + product.state();
      case Catalog.Outcome.Unchanged(Product product) -> "unchanged " + product.state();
      case Catalog.Outcome.StateConflict(ProductState state) -> "conflict " + state;
      case Catalog.Outcome.UnknownProduct() -> "unknown";
      case Catalog.Outcome.Unconfirmed(var changes) -> "unconfirmed " + changes.keySet();
      case Catalog.Outcome.Exists(Product product) -> "exists " + product.id();
      case Catalog.Outcome.Invalid(List<PolicyProblem> problems) -> problems.toString();
    };
  }

  /// Releases what is due, and gives all that is released.
  private List<StockBatch> release(Instant now) {
    assertThat(catalog.release(List.of(id), now, true)).isEmpty();
    return catalog.releasedAfter(Map.of(id, 0));
  }

  private List<StockBatch> due(Instant now) {
    return catalog.dueBatches(now).stream().filter(b -> b.product().equals(id)).toList();
  }

  private long released() {
    return books.number("SELECT released FROM sale_totals WHERE product_id = $1", id.value());
  }

  private static Details details(int stock) {
    return new Details("a thing", "/thing.png", new Money(100, "TWD"), stock, 30);
  }

  private static SalePolicy scheduled(PlannedBatch... batches) {
    return with(new Schedule(null, null, List.of(batches)));
  }

  private static SalePolicy with(Schedule schedule) {
    return Preset.QUEUE.policy().with(schedule);
  }
}
