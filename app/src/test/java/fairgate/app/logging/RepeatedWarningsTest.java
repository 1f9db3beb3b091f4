package fairgate.app.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RepeatedWarningsTest {
  private final LoggerContext context = new LoggerContext();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final AtomicLong nanos = new AtomicLong(Duration.ofDays(3).toNanos());
  private final Logger logger = context.getLogger("fairgate.test");

  RepeatedWarningsTest() {
    context.addTurboFilter(new RepeatedWarnings(nanos::get));
    log.start();
    logger.addAppender(log);
  }

  @Test
  void theSameWarningIsLoggedOnceAMinute() {
    for (int second = 0; second < 130; second++) {
      logger.warn("The register does not answer; sale={}", 7);
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    }
    assertThat(log.list).hasSize(3);
  }

  @Test
  void warningsWithOtherFieldsAndErrorsAreLogged() {
    logger.warn("The register does not answer; sale={}", 7);
    logger.warn("The register does not answer; sale={}", 8);
    logger.warn("Something else; sale={} order={} buyer={}", 7, 8, 9);
    for (int i = 0; i < 3; i++) {
      logger.error("Somebody must act");
      logger.info("A state has changed");
    }
    assertThat(log.list).hasSize(9);
  }

  @Test
  void manyDifferentWarningsNeedLittleMemory() {
    for (int i = 0; i < 1_000; i++) {
      logger.warn("Warning {}", i);
    }
    logger.warn("Warning {}", 999);
    logger.warn("Warning {}", 0);
    assertThat(log.list).as("the oldest are forgotten").hasSize(1_001);
  }
}
