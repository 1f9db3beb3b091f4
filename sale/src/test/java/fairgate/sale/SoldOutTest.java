package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.TestIds;
import fairgate.kernel.Audit;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Purchases after the last unit: they are refused before anybody judges their risk.
final class SoldOutTest {
  private final SaleWorld world = SaleWorld.open(1, "slots 100", "payment 1", "payment_ms 600000");
  private final AtomicInteger judged = new AtomicInteger();
  private final Metrics metrics = new Metrics();
  private final SaleService service = service();

  private SaleService service() {
    SaleService made =
        new SaleService(
            world.redis(),
            new KeyRing("k1", Map.of("k1", new byte[32])),
            new TestIds(),
            SaleFeature.Config.defaults(),
            Audit.none(),
            world.product()::equals,
            id -> id);
    made.onAttempt(new PurchaseMeters(metrics)::count);
    made.onRisk(
        _ -> {
          judged.incrementAndGet();
          return Future.succeededFuture(SaleService.RiskCheck.PASSED);
        });
    return made;
  }

  private PurchaseOutcome buy(Buyer buyer) {
    return service
        .purchase(
            new SaleService.PurchaseRequest(
                buyer.session(), world.product(), 1, null, null, null, SoldOutTest::caller, null))
        .await();
  }

  private static Caller caller() {
    return new Caller(
        Objects.requireNonNull(ClientAddress.parse("192.0.2.1")), "", null, null, null);
  }

  @Test
  void riskIsJudgedOnlyWhileUnitsAreFree() {
    Buyer first = world.ready();
    Buyer second = world.ready();
    Buyer third = world.ready();
    Buyer waiting = world.buyer();
    assertThat(world.join(waiting)).hasSize(1);
    PurchaseOutcome.Reserved bought = (PurchaseOutcome.Reserved) buy(first);
    assertThat(buy(second)).isEqualTo(new PurchaseOutcome.SoldOut());
    Map<String, String> before = world.dump();
    assertThat(buy(third)).isEqualTo(new PurchaseOutcome.SoldOut());
    assertThat(buy(waiting)).isEqualTo(new PurchaseOutcome.NotInActive());
    assertThat(buy(first)).isEqualTo(new PurchaseOutcome.AlreadyPurchased(bought.order()));
    assertThat(judged).as("the purchase left no unit").hasValue(1);
    assertThat(world.dump()).isEqualTo(before);

    assertThat(world.scripts().release(first, bought.order(), "cancelled").await().textAt(0))
        .isEqualTo("RELEASED");
    assertThat(buy(third)).isInstanceOf(PurchaseOutcome.Reserved.class);
    assertThat(judged).hasValue(2);
    world.assertBalanced();
    assertThat(metrics.scrape().lines())
        .contains(
            counted("ordered", "none", 2),
            counted("refused", "INSUFFICIENT_STOCK", 2),
            counted("refused", "NOT_IN_ACTIVE", 1),
            counted("refused", "TIMEOUT", 0),
            counted("unknown", "none", 0));
    service.onFullOutbox(() -> true);
    assertThatThrownBy(() -> buy(world.ready())).isInstanceOf(ServiceUnavailable.class);
    assertThat(metrics.scrape().lines()).contains(counted("unknown", "none", 1));
  }

  @Test
  void anAttemptThatFindsTooFewUnitsTellsThatTheyAreSold() {
    Buyer first = world.ready();
    Buyer second = world.ready();
    Buyer third = world.ready();
    assertThat(world.buy(first)).as("on another node").startsWith("RESERVED");
    assertThat(buy(second)).isEqualTo(new PurchaseOutcome.SoldOut());
    assertThat(judged).hasValue(1);
    assertThat(buy(third)).isEqualTo(new PurchaseOutcome.SoldOut());
    assertThat(judged).hasValue(1);
  }

  private static String counted(String outcome, String reason, int times) {
    return "fairgate_purchases_total{outcome=\"%s\",reason=\"%s\"} %d.0"
        .formatted(outcome, reason, times);
  }
}
