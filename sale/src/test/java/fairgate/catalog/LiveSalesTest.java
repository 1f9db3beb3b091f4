package fairgate.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.catalog.Product.Details;
import fairgate.catalog.SalePolicy.Preset;
import fairgate.catalog.SalePolicy.Schedule;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.sale.ledger.LedgerFixture;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
final class LiveSalesTest {
  private static final Instant NOON = Instant.parse("2026-11-11T12:00:00Z");
  private static final ProductId FIRST = new ProductId("1");
  private static final ProductId SECOND = new ProductId("2");

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final Catalog catalog = Catalog.open(books.database());
  private final LiveSales live = new LiveSales(catalog);

  @AfterEach
  void close() {
    catalog.close();
    books.close();
  }

  private Product create(ProductId id, @Nullable Instant opensAt) {
    SalePolicy policy = Preset.QUEUE.policy().with(new Schedule(opensAt, null, List.of()));
    var _ =
        catalog.create(
            id, new Details("a thing", "", new Money(100, "TWD"), 5, null), policy, "test");
    return product(id);
  }

  private Product product(ProductId id) {
    return catalog.find(id).orElseThrow();
  }

  private Product closed(ProductId id) {
    var _ = create(id, null);
    var _ = catalog.step(id, ProductState.Step.OPEN, "test");
    var _ = catalog.step(id, ProductState.Step.CLOSE, "test");
    return product(id);
  }

  @Test
  void aParkedSaleLeavesTheLoopsUntilItIsWoken() {
    Product parked = closed(FIRST);
    Product other = closed(SECOND);
    live.park(parked, live.ticket());
    assertThat(live.isParked(parked)).isTrue();
    assertThat(live.isParked(other)).isFalse();
    assertThat(live.ids()).containsExactly(SECOND);
    live.wake(FIRST);
    assertThat(live.ids()).containsExactlyInAnyOrder(FIRST, SECOND);
  }

  @Test
  void aChangeOfTheProductWakesItsSale() {
    Product parked = closed(FIRST);
    live.park(parked, live.ticket());
    var _ =
        catalog.update(
            FIRST,
            now ->
                new Product.Draft(
                    new Details("another name", "", new Money(100, "TWD"), 5, null), now.policy()),
            Set.of(),
            "test");
    assertThat(product(FIRST).version()).isGreaterThan(parked.version());
    assertThat(live.ids()).containsExactly(FIRST);
  }

  @Test
  void factsFromBeforeAWakeParkNothing() {
    Product sale = closed(FIRST);
    long ticket = live.ticket();
    live.wake(FIRST);
    live.park(sale, ticket);
    assertThat(live.ids()).containsExactly(FIRST);
    live.park(sale, live.ticket());
    assertThat(live.ids()).isEmpty();
  }

  @Test
  void theWakeOfAnotherSaleDoesNotHinderParking() {
    Product sale = closed(FIRST);
    long ticket = live.ticket();
    live.wake(SECOND);
    live.park(sale, ticket);
    assertThat(live.ids()).isEmpty();
  }

  @Test
  void whenRedisHasLostSomethingAllAreAwake() {
    live.park(closed(FIRST), live.ticket());
    live.park(closed(SECOND), live.ticket());
    live.wakeAll();
    assertThat(live.ids()).containsExactlyInAnyOrder(FIRST, SECOND);
  }

  @Test
  void salesThatWaitForTheirOpeningAreNotAmongTheOpened() {
    var _ = create(FIRST, NOON);
    var _ = create(SECOND, null);
    assertThat(live.ids()).containsExactlyInAnyOrder(FIRST, SECOND);
    assertThat(live.openedIds(NOON.minusMillis(1))).isEmpty();
    assertThat(live.openedIds(NOON)).containsExactly(FIRST);
    var _ = catalog.step(SECOND, ProductState.Step.OPEN, "test");
    assertThat(live.openedIds(NOON.minusMillis(1))).containsExactly(SECOND);
  }

  @Test
  void factsReadBeforeAllWereWokenParkNothing() {
    Product sale = closed(FIRST);
    long ticket = live.ticket();
    live.wakeAll();
    live.park(sale, ticket);
    assertThat(live.ids()).containsExactly(FIRST);
  }
}
