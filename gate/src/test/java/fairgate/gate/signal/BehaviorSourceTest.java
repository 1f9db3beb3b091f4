package fairgate.gate.signal;

import static fairgate.gate.signal.SignalServer.value;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.GateFixture;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BehaviorSourceTest {
  private static final String PERSON =
      """
      {"page_ms": 61500, "moves": 83, "path": 2310, "entropy": 81, "straight": 64, "pauses": 9,
       "focus": 2, "keys": 3, "key_ms": 210, "key_spread": 44, "presses": 4, "press_ms": 1900,
       "press_spread": 71}\
      """;

  private final GateFixture.SteppedClock clock = new GateFixture.SteppedClock();
  private final BehaviorSource source = new BehaviorSource(clock);
  private final SignalServer server = new SignalServer(this::contribute, true);

  /// As at a join, every caller has a browser.
  private Future<Void> contribute(RiskRequest request, Features.Builder features) {
    Request http = Objects.requireNonNull(request.http());
    var _ = http.device();
    return source.contribute(
        Judge.request(request.route(), request.sale(), http, http.caller()), features);
  }

  @AfterEach
  void close() {
    server.close();
  }

  /// The features of a join of another browser each time.
  private Features join(String behavior) {
    return server.features(
        DeviceKeys.JOIN, "{\"product_id\": \"7\", \"behavior\": " + behavior + "}");
  }

  @Test
  void theNumbersOfThePageAreFeatures() {
    Features features = join(PERSON);
    assertThat(value(features, "behavior_present")).isEqualTo(true);
    assertThat(value(features, "page_ms")).isEqualTo(61_500L);
    assertThat(value(features, "pointer_moves")).isEqualTo(83L);
    assertThat(value(features, "pointer_path")).isEqualTo(2_310L);
    assertThat(value(features, "pointer_entropy")).isEqualTo(81L);
    assertThat(value(features, "pointer_straightness")).isEqualTo(64L);
    assertThat(value(features, "pointer_pauses")).isEqualTo(9L);
    assertThat(value(features, "focus_changes")).isEqualTo(2L);
    assertThat(value(features, "key_presses")).isEqualTo(3L);
    assertThat(value(features, "key_interval_ms")).isEqualTo(210L);
    assertThat(value(features, "key_interval_spread")).isEqualTo(44L);
    assertThat(value(features, "presses")).isEqualTo(4L);
    assertThat(value(features, "press_interval_ms")).isEqualTo(1_900L);
    assertThat(value(features, "press_interval_spread")).isEqualTo(71L);
    assertThat(value(features, "movement_repeated")).isEqualTo(0L);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "{}",
        "[]",
        "7",
        "\"x\"",
        "{\"page_ms\": 1}",
        "{\"page_ms\": {}}",
      })
  void anythingElseIsAsIfNothingHadBeenSent(String behavior) {
    assertThat(SignalServer.set(join(behavior))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "1e3",
        "83.5",
        "10000",
        "1e999",
        "99999999999999999999",
        "\"83\"",
        "true",
        "null",
      })
  void oneNumberOutOfItsBoundsMakesAllUnknown(String moves) {
    String changed = PERSON.replace("\"moves\": 83", "\"moves\": " + moves);
    assertThat(SignalServer.set(join(changed))).isEmpty();
  }

  @Test
  void aPurchaseHasNoNumbers() {
    String body = "{\"product_id\": \"7\", \"behavior\": " + PERSON + "}";
    assertThat(SignalServer.set(server.features(DeviceKeys.PURCHASE, body))).isEmpty();
  }

  @Test
  void aMovementThatOtherBrowsersRepeatIsCountedWhateverItsTimes() {
    for (long others = 0; others < 4; others++) {
      Features features = join(PERSON.replace("61500", Long.toString(50_000 + others)));
      assertThat(value(features, "movement_repeated")).isEqualTo(others);
    }
    assertThat(value(join(PERSON.replace("2310", "2311")), "movement_repeated")).isEqualTo(0L);
    clock.advance(Duration.ofHours(3));
    assertThat(value(join(PERSON), "movement_repeated")).isEqualTo(0L);
  }

  @Test
  void fewMovesAreEqualByChanceAndDoNotCount() {
    String few = PERSON.replace("\"moves\": 83", "\"moves\": 39");
    assertThat(value(join(few), "movement_repeated")).isEqualTo(0L);
    assertThat(value(join(few), "movement_repeated")).isEqualTo(0L);
  }

  /// A join that is refused for a challenge is sent again by the same browser.
  @Test
  void theSameBrowserRepeatsNobody() {
    String body = "{\"product_id\": \"7\", \"behavior\": " + PERSON + "}";
    String cookie =
        server.send(DeviceKeys.JOIN, body).headers().firstValue("Set-Cookie").orElseThrow();
    String sent = cookie.substring(0, cookie.indexOf(';'));
    Features again = server.features(DeviceKeys.JOIN, body, "Cookie", sent);
    assertThat(value(again, "movement_repeated")).isEqualTo(0L);
  }
}
