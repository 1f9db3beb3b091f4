package fairgate.gate.signal;

import static fairgate.gate.signal.SignalServer.value;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRoute;
import fairgate.gate.signal.SaleSource.Sales;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SaleSourceTest {
  private final Judge judge = new Judge();
  private final Map<String, Sales.Sale> sales = new HashMap<>();
  private final SaleSource source =
      new SaleSource(id -> Optional.ofNullable(sales.get(id.value())), judge.clock);

  private Features features(String sale) {
    return judge.features(
        source, Judge.request(RiskRoute.JOIN, sale, null, judge.guest("203.0.113.1")));
  }

  @Test
  void aSaleTellsItsIdentityAndTheTimeToItsOpening() {
    long opens = judge.clock.millis() + 90_000;
    sales.put("7", new Sales.Sale("phone", false, opens, false));
    Features before = features("7");
    assertThat(value(before, "identity_kind")).isEqualTo("phone");
    assertThat(value(before, "sale_open")).isEqualTo(false);
    assertThat(value(before, "seconds_to_opening")).isEqualTo(90L);
    judge.clock.advance(Duration.ofSeconds(100));
    sales.put("7", new Sales.Sale("phone", true, opens, false));
    Features after = features("7");
    assertThat(value(after, "sale_open")).isEqualTo(true);
    assertThat(value(after, "seconds_to_opening")).isEqualTo(-10L);
  }

  @Test
  void aSaleThatAnOperatorOpensHasNoTimeToItsOpening() {
    sales.put("7", new Sales.Sale("device", true, 0, false));
    assertThat(SignalServer.set(features("7")))
        .containsExactlyInAnyOrder("identity_kind", "sale_open");
  }

  @Test
  void otherProductsHaveNoFeaturesOfASale() {
    sales.put("7", new Sales.Sale("device", true, 0, false));
    assertThat(SignalServer.set(features("8"))).isEmpty();
    assertThat(SignalServer.set(features("GIFT-CARD"))).isEmpty();
  }
}
