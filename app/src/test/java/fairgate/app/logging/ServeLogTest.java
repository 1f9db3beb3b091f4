package fairgate.app.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The log of `serve`, as its configuration says.
class ServeLogTest {
  private final LoggerContext context = new LoggerContext();

  @BeforeEach
  void configure() throws JoranException {
    context.setMDCAdapter(new LogbackMDCAdapter());
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(ServeLogTest.class.getResource("/fairgate/app/logback-serve.xml"));
  }

  @AfterEach
  void stop() {
    context.stop();
  }

  @Test
  void aTopicThatIsYetToBeCreatedIsNoError() {
    String asks = "org.apache.kafka.clients.admin.internals.PartitionLeaderStrategy";
    assertThat(context.getLogger(asks).isErrorEnabled()).isFalse();
    assertThat(context.getLogger("org.apache.kafka.clients.admin").isErrorEnabled()).isTrue();
  }

  @Test
  void aLineHasATimeThatPeopleCanRead() throws IOException {
    OutputStreamAppender<ILoggingEvent> console =
        (OutputStreamAppender<ILoggingEvent>) context.getLogger("ROOT").getAppender("console");
    LoggingEvent event =
        new LoggingEvent(
            "",
            context.getLogger("fairgate.test"),
            Level.WARN,
            "A \"state\" has changed",
            null,
            null);
    event.setInstant(Instant.parse("2026-11-28T14:08:00.5Z"));
    JsonNode line = new ObjectMapper().readTree(console.getEncoder().encode(event));
    assertThat(line.path("time").asText()).isEqualTo("2026-11-28T14:08:00.500Z");
    assertThat(line.path("level").asText()).isEqualTo("WARN");
    assertThat(line.path("formattedMessage").asText()).isEqualTo("A \"state\" has changed");
  }
}
