package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.testkit.line.FakeLine;
import fairgate.testkit.line.FakeLine.Fault;
import fairgate.testkit.line.FakeLine.ReceivedCall;
import fairgate.testkit.line.FakeWeather;
import fairgate.testkit.line.LineEvents;
import fairgate.testkit.line.LineEvents.From;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The server is killed between accepting an event and answering it: the event is answered exactly
/// once.
@Tag("proof")
class LineCrashIT {
  private static final String SECRET = "secret-of-the-line-channel-123456";
  private static final int PEOPLE = 20;

  private static URI webhook(ServerProcess server) {
    return URI.create("http://127.0.0.1:" + server.port() + "/line/webhook");
  }

  private static Map<String, String> settings(FakeLine line, FakeWeather weather) {
    Map<String, String> settings = new HashMap<>();
    settings.put("FAIRGATE_LINE_API_URL", line.url());
    settings.put("FAIRGATE_WEATHER_URL", weather.url());
    settings.put("FAIRGATE_LINE_CHANNEL_SECRET", SECRET);
    settings.put("FAIRGATE_LINE_CHANNEL_TOKEN", "token");
    settings.put("FAIRGATE_LINE_LEASE_SECONDS", "2");
    return settings;
  }

  @Test
  void everyAcceptedEventIsAnsweredOnce(@TempDir Path data) {
    try (FakeLine line = FakeLine.start(SECRET, "token", Clock.systemUTC());
        FakeWeather weather = FakeWeather.start()) {
      Map<String, String> settings = settings(line, weather);
      weather.hold();
      List<ObjectNode> events = askAndKill(ServerProcess.up(data, settings), line);
      weather.release();
      try (ServerProcess second = ServerProcess.up(data, settings)) {
        for (ObjectNode event : events) {
          assertThat(line.await(chat(event), 1)).isNotEmpty();
        }
        line.await(() -> line.calls().stream().anyMatch(LineCrashIT::refusedReply), "the repeat");
        for (ObjectNode event : events) {
          assertThat(line.send(webhook(second), LineEvents.again(event))).isEqualTo(200);
        }
      }
      for (ObjectNode event : events) {
        assertThat(line.shown(chat(event))).as("answers to " + event).hasSize(1);
      }
    }
  }

  /// Questions whose processing hangs, and one whose reply is shown although LINE reports a
  /// failure.
  private static List<ObjectNode> askAndKill(ServerProcess server, FakeLine line) {
    try {
      List<ObjectNode> events = new ArrayList<>();
      for (int i = 0; i < PEOPLE; i++) {
        events.add(line.events().text(From.user(LineEvents.userId("person " + i)), "台北"));
        assertThat(line.send(webhook(server), events.getLast())).isEqualTo(200);
      }
      line.next(Fault.FORGETFUL);
      events.add(line.events().text(From.user(LineEvents.userId("the one who saw it")), "help"));
      assertThat(line.send(webhook(server), events.getLast())).isEqualTo(200);
      assertThat(line.await(chat(events.getLast()), 1)).hasSize(1);
      return events;
    } finally {
      server.kill();
    }
  }

  private static String chat(ObjectNode event) {
    return event.path("source").path("userId").asText();
  }

  private static boolean refusedReply(ReceivedCall call) {
    return call.path().endsWith("/reply") && call.status() == 400;
  }
}
