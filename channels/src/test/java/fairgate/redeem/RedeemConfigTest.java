package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.redeem.RedeemConfig.Times;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class RedeemConfigTest {
  private static final Instant END = Instant.parse("2026-01-15T15:59:59.900Z");

  @Test
  void timesAreInUtcOrLocalWithoutAnOffset() {
    assertThat(new Times(null).text(END)).isEqualTo("2026-01-15T15:59:59Z");
    Times local = new Times(ZoneId.of("Asia/Shanghai"));
    assertThat(local.text(END)).isEqualTo("2026-01-15T23:59:59");
    assertThat(local.text(Instant.parse("2026-01-15T16:00:00Z"))).isEqualTo("2026-01-16T00:00:00");
    assertThat(local.text(null)).isNull();
  }
}
