package fairgate.platform.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import fairgate.kernel.ServiceUnavailable;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class OutageLogTest {
  private final ServiceUnavailable away =
      new ServiceUnavailable("redis is not connected", Duration.ofSeconds(1));

  private final Logger log = (Logger) LoggerFactory.getLogger(OutageLogTest.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final OutageLog outage = new OutageLog(log, "payment deadlines");

  @BeforeEach
  void listen() {
    lines.start();
    log.addAppender(lines);
  }

  @AfterEach
  void stopListening() {
    log.detachAppender(lines);
  }

  @Test
  void anOutageIsLoggedOnce() {
    for (int i = 0; i < 1000; i++) {
      outage.waits(away);
    }
    outage.worked();
    outage.worked();

    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "Waiting until an engine is back. work=payment deadlines cause=redis is not connected",
            "Going on after an outage. work=payment deadlines");
  }

  @Test
  void ofManyWorksThatOneEngineStopsOneIsLogged() {
    OutageLog.Group group = new OutageLog.Group();
    OutageLog first = new OutageLog(log, "receipts", group);
    OutageLog second = new OutageLog(log, "refunds", group);
    first.waits(away);
    second.waits(away);
    second.worked();
    first.worked();
    second.waits(away);

    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "Waiting until an engine is back. work=receipts cause=redis is not connected",
            "Going on after an outage. work=receipts",
            "Waiting until an engine is back. work=refunds cause=redis is not connected");
    first.waits(new ServiceUnavailable("postgresql is not connected", Duration.ofSeconds(1)));
    assertThat(lines.list).as("another cause").hasSize(4);
  }

  @Test
  void theNextOutageIsLoggedAgain() {
    outage.waits(away);
    outage.worked();
    outage.waits(away);

    assertThat(lines.list).hasSize(3);
  }

  @Test
  void triesThatComeThroughBetweenFailuresDoNotEndTheOutage() {
    OutageLog restless = new OutageLog(log, "redis", Duration.ofHours(1));
    for (int i = 0; i < 100; i++) {
      restless.waits(away);
      restless.worked();
    }
    assertThat(lines.list).hasSize(1);
    restless.over();
    restless.over();
    assertThat(lines.list).hasSize(2);
  }

  @Test
  void nothingIsSaidWhileAllIsWell() {
    outage.worked();

    assertThat(lines.list).isEmpty();
  }
}
