package fairgate.platform.observe;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HealthTest {
  @Test
  void aCheckThatFailsOrThrowsIsDown() {
    Health health = new Health();
    health.register("good", () -> Future.succeededFuture(Health.Status.good()));
    health.register("fails", () -> Future.failedFuture(new IllegalStateException("secret")));
    health.register(
        "throws",
        () -> {
          throw new IllegalArgumentException("secret");
        });
    health.refresh();
    Health.Report report = health.report();
    assertThat(report.selling()).isFalse();
    assertThat(report.checks().get("good")).isEqualTo(Health.Status.good());
    assertThat(report.checks().get("fails")).isEqualTo(Health.Status.down("IllegalStateException"));
    assertThat(report.checks().get("throws"))
        .isEqualTo(Health.Status.down("IllegalArgumentException"));
  }

  @Test
  void anUnavailableEngineReportsTheReason() {
    Health health = new Health();
    health.register(
        "redis",
        () ->
            Future.failedFuture(
                new ServiceUnavailable("redis is not connected", Duration.ofSeconds(1))));
    health.refresh();
    assertThat(health.report().checks().get("redis"))
        .isEqualTo(Health.Status.down("redis is not connected"));
  }

  @Test
  void aDegradedDependencyHasAMetric() {
    Health health = new Health();
    Metrics metrics = new Metrics();
    health.publish(metrics);
    health.report("postgres", Health.Status.worse("does not respond"));
    health.report("redis", Health.Status.good());
    assertThat(metrics.scrape())
        .contains("fairgate_check_up{check=\"postgres\"} 1.0")
        .contains("fairgate_check_degraded{check=\"postgres\"} 1.0")
        .contains("fairgate_check_degraded{check=\"redis\"} 0.0");
    health.report("postgres", Health.Status.good());
    assertThat(metrics.scrape()).contains("fairgate_check_degraded{check=\"postgres\"} 0.0");
  }

  @Test
  void aDependencyMayReportItsOwnState() {
    Health health = new Health();
    assertThat(health.report().ready()).isTrue();
    health.report("relay", Health.Status.worse("lag 900"));
    assertThat(health.report().degraded()).isTrue();
    assertThat(health.report().ready()).isTrue();
    health.report("relay", Health.Status.down("stopped"));
    assertThat(health.report().ready()).isTrue();
    assertThat(health.report().selling()).isFalse();
  }
}
