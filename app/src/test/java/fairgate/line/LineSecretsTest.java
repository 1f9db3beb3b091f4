package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.testkit.line.FakeLine.Fault;
import fairgate.testkit.line.LineEvents.From;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// Searches all log output, at the finest level, for secrets while the channel works and while it
/// fails.
final class LineSecretsTest {
  @Test
  void noSecretIsEverLogged() {
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Logger ours = (Logger) LoggerFactory.getLogger("fairgate");
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Level before = root.getLevel();
    Level beforeOurs = ours.getLevel();
    root.addAppender(log);
    root.setLevel(Level.DEBUG);
    ours.setLevel(Level.TRACE);
    String said;
    String replyToken;
    try (LineWorld world = LineWorld.start(Map.of("line.lease_seconds", "1"))) {
      replyToken = troubledTalk(world);
    } finally {
      root.setLevel(before);
      ours.setLevel(beforeOurs);
      root.detachAppender(log);
      said =
          List.copyOf(log.list).stream()
              .map(
                  one ->
                      one.getLoggerName()
                          + one.getFormattedMessage()
                          + (one.getThrowableProxy() == null
                              ? ""
                              : one.getThrowableProxy().getMessage()))
              .collect(Collectors.joining("\n"));
    }
    assertThat(said)
        .as("the log was read")
        .contains("Weather service failed")
        .hasSizeGreaterThan(1_000);
    assertThat(said)
        .doesNotContain(LineWorld.SECRET, LineWorld.OLD_SECRET, LineWorld.TOKEN, replyToken);
  }

  /// Causes answers and failures of every kind; returns the reply token that was used.
  private static String troubledTalk(LineWorld world) {
    From who = LineWorld.somebody();
    world.line.next(Fault.STATUS_500, Fault.UNAUTHORIZED, Fault.RATE_LIMIT);
    ObjectNode event = world.events().text(who, "help");
    assertThat(world.answer(who, event)).isNotEmpty();
    world.weather.answerWith(500);
    // The lock is released after the answer.
    world.idle();
    assertThat(world.says(who, "台北")).isNotEmpty();
    assertThat(world.line.post(world.webhook(), "{}", "wrong")).isEqualTo(401);
    assertThat(world.line.post(world.webhook(), "{", LineWorld.SECRET)).isEqualTo(400);
    world.idle();
    return event.path("replyToken").asText();
  }
}
