package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.line.FakeLine.Shown;
import fairgate.testkit.line.LineEvents;
import fairgate.testkit.line.LineEvents.From;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// The processing lock, as the channel's specification requires it.
final class LineLockTest {
  private static final String NOTICE = "⏳ 正在為您查詢天氣，請稍候...";
  private static final String EXEMPT = LineEvents.userId("the boss");

  private static LineWorld world;

  @BeforeAll
  static void start() {
    // Longer than any test takes.
    world =
        LineWorld.start(
            Map.of("line.lock_exempt", EXEMPT, "processing_lock.timeout_seconds", "600"));
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  @AfterEach
  void weatherIsFine() {
    world.weather.release();
    world.idle();
  }

  private static String text(Shown shown) {
    return shown.message().path("text").asText();
  }

  private static List<Shown> shown(From who) {
    return world.line.shown(String.valueOf(who.chat()));
  }

  private static void busyWith(From who) {
    busyWith(world, world.events().text(who, "台北天氣"));
  }

  private static void busyWith(LineWorld place, ObjectNode event) {
    place.weather.hold();
    assertThat(place.send(event)).isEqualTo(200);
    place.weather.awaitQuestion();
  }

  @Test
  void furtherEventsGetTheNoticeAndStartNoRequest() {
    From who = LineWorld.somebody();
    busyWith(who);
    int asked = world.weather.asked();
    double hits = world.meter("processing_lock_hits_total");
    ObjectNode[] rest = {
      world.events().text(who, "高雄"),
      world.events().location(who, 22.6, 120.3),
      world.events().postback(who, "action=weather&place=Tokyo")
    };
    assertThat(world.send(rest)).isEqualTo(200);
    world.line.await(() -> notices(who) == 3, "a notice for each");
    LineWorld.await(() -> world.meter("processing_lock_hits_total") == hits + 3);
    assertThat(world.weather.asked()).as("no second query").isEqualTo(asked);
    world.weather.release();
    world.idle();
    assertThat(notices(who)).isEqualTo(3);
    assertThat(shown(who)).hasSize(4).allMatch(one -> one.how().equals("reply"));
    assertThat(text(shown(who).getLast())).contains("臺北市");
    assertThat(world.meter("processing_duration_seconds_count")).isPositive();
  }

  @Test
  void aTappedButtonAlwaysGetsTheNotice() {
    From who = LineWorld.somebody();
    busyWith(who);
    ObjectNode[] taps = {
      world.events().postback(who, "action=weather&place=Tokyo"),
      world.events().postback(who, "action=help"),
      world.events().postback(who, "action=sales")
    };
    assertThat(world.send(taps)).isEqualTo(200);
    world.line.await(() -> shown(who).size() == 3, "a notice for each tap");
    assertThat(shown(who)).allMatch(one -> one.how().equals("reply") && text(one).startsWith("⏳"));
  }

  @Test
  void aTapWithAnExpiredReplyTokenIsProcessedLaterWithoutAPushedNotice() {
    From who = LineWorld.somebody();
    busyWith(who);
    ObjectNode tap = world.events().postback(who, "action=weather&place=Tokyo");
    double hits = world.meter("processing_lock_hits_total");
    assertThat(world.send(tap.put("timestamp", tap.path("timestamp").asLong() - 55_000)))
        .isEqualTo(200);
    LineWorld.await(() -> world.meter("processing_lock_hits_total") > hits);
    world.weather.release();
    List<Shown> all = world.line.await(String.valueOf(who.chat()), 2);
    assertThat(text(all.get(0))).contains("臺北市");
    assertThat(all.get(1).how()).isEqualTo("push");
    assertThat(text(all.get(1))).contains("Tokyo");
    assertThat(notices(who)).isZero();
  }

  private static long notices(From who) {
    return shown(who).stream().filter(one -> text(one).equals(NOTICE)).count();
  }

  @Test
  void severalQuestionsInOneWebhookGetOneAnswer() {
    From who = LineWorld.somebody();
    double hits = world.meter("processing_lock_hits_total");
    world.weather.hold();
    assertThat(
            world.send(
                world.events().text(who, "台北"),
                world.events().text(who, "高雄"),
                world.events().text(who, "Tokyo")))
        .isEqualTo(200);
    LineWorld.await(() -> world.meter("processing_lock_hits_total") >= hits + 2);
    world.line.await(() -> notices(who) == 2, "a notice for each further question");
    world.weather.release();
    world.idle();
    assertThat(shown(who)).hasSize(3);
    assertThat(text(shown(who).getLast())).contains("臺北市");
  }

  @Test
  void theNextQuestionIsAnsweredAfterTheFirstAnswer() {
    From who = LineWorld.somebody();
    assertThat(world.says(who, "台北")).contains("臺北市");
    world.idle();
    assertThat(world.says(who, "高雄")).contains("高雄市");
  }

  @Test
  void aLaterLockedEventGetsANoticeAgain() {
    From who = LineWorld.somebody();
    for (int i = 0; i < 2; i++) {
      busyWith(who);
      assertThat(world.send(world.events().text(who, "高雄"))).isEqualTo(200);
      List<Shown> response = world.line.await(String.valueOf(who.chat()), 2 * i + 1);
      assertThat(text(response.getLast())).isEqualTo(NOTICE);
      world.weather.release();
      assertThat(world.line.await(String.valueOf(who.chat()), 2 * i + 2)).hasSize(2 * i + 2);
      world.idle();
    }
  }

  @Test
  void followEventsNeedNoLock() {
    From who = LineWorld.somebody();
    busyWith(who);
    assertThat(world.answerAtOnce(who, world.events().follow(who))).contains("您好");
    // Blocking the bot deletes the user's data, also while an event of the user is in progress.
    String key = LineKeys.language(String.valueOf(who.userId()));
    LineWorld.await(() -> world.redis("EXISTS", key).equals("1"));
    assertThat(world.send(world.events().event("unfollow", who))).isEqualTo(200);
    LineWorld.await(() -> world.redis("EXISTS", key).equals("0"));
  }

  @Test
  void locationsAndPostbacksTakeTheLockAsTextsDo() {
    From walker = LineWorld.somebody();
    From tapper = LineWorld.somebody();
    List<ObjectNode> busy =
        List.of(
            world.events().location(walker, 22.6, 120.3),
            world.events().postback(tapper, "action=weather&place=Tokyo"));
    for (ObjectNode event : busy) {
      busyWith(world, event);
      From who = From.user(event.path("source").path("userId").asText());
      assertThat(world.answerAtOnce(who, world.events().text(who, "高雄"))).contains(NOTICE);
      world.weather.release();
      assertThat(world.line.await(String.valueOf(who.chat()), 2)).hasSize(2);
      world.idle();
    }
  }

  @Test
  void theLockHoldsOnAllNodes() {
    try (TestFairgate other = world.node()) {
      // A node decides alone while Redis does not answer within a quarter of a second.
      LineWorld.await(() -> isLockedOn(other));
    }
  }

  /// Whether a node gives a new user the notice while the first node works for the user.
  private static boolean isLockedOn(TestFairgate other) {
    From who = LineWorld.somebody();
    busyWith(who);
    int asked = world.weather.asked();
    assertThat(world.send(other, world.events().text(who, "高雄"))).isEqualTo(200);
    LineWorld.await(() -> !shown(who).isEmpty() || world.weather.asked() > asked);
    boolean locked = world.weather.asked() == asked;
    world.weather.release();
    List<Shown> all = world.line.await(String.valueOf(who.chat()), 2);
    assertThat(all).anyMatch(one -> text(one).contains("臺北市"));
    assertThat(text(all.getFirst()).equals(NOTICE)).isEqualTo(locked);
    return locked;
  }

  @Test
  void anEventWithoutASourceIsProcessedWithoutALockAndLogged() {
    Logger logger = (Logger) LoggerFactory.getLogger(EventWorker.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try {
      From nobody = new From("user", null, null, null);
      world.weather.hold();
      assertThat(
              world.send(world.events().text(nobody, "台北天氣"), world.events().text(nobody, "高雄天氣")))
          .isEqualTo(200);
      world.weather.awaitQuestion();
      world.weather.awaitQuestion();
      world.weather.release();
      assertThat(world.line.await("", 2)).hasSize(2);
      assertThat(List.copyOf(log.list))
          .anyMatch(one -> one.getFormattedMessage().contains("has no source"));
    } finally {
      logger.detachAppender(log);
    }
  }

  @Test
  void eachKindOfEventHasItsOwnLockLifetime() {
    Map<String, String> settings =
        Map.of("line.lock_location_seconds", "30", "line.lock_postback_seconds", "20");
    try (LineWorld patient = LineWorld.start(settings)) {
      From who = LineWorld.somebody();
      LineEvents events = patient.events();
      assertThat(life(patient, who, () -> events.text(who, "台北"))).isBetween(1L, 5_000L);
      assertThat(life(patient, who, () -> events.location(who, 22.6, 120.3)))
          .isBetween(20_001L, 30_000L);
      assertThat(life(patient, who, () -> events.postback(who, "action=weather&place=Tokyo")))
          .isBetween(5_001L, 20_000L);
    }
  }

  /// The remaining life of a lock, in milliseconds. Sends another event while Redis does not answer
  /// within a quarter of a second, because the node then keeps the lock itself.
  private static long life(LineWorld place, From who, Supplier<ObjectNode> event) {
    return Eventually.get(
        "a lock in Redis",
        () -> {
          busyWith(place, event.get());
          long life = Long.parseLong(place.redis("PTTL", "processing:user:" + who.userId()));
          place.weather.release();
          place.idle();
          return life;
        },
        life -> life > 0);
  }

  @Test
  void usersOfOneGroupHaveSeparateLocks() {
    From anna = From.group("C" + "7".repeat(32), LineEvents.userId("anna in group"));
    From bert = From.group("C" + "7".repeat(32), LineEvents.userId("bert in group"));
    busyWith(world, world.events().text(anna, "/台北天氣"));
    assertThat(world.says(bert, "/help")).contains("語言");
  }

  @Test
  void exemptUsersAreAnsweredInOrder() {
    From boss = From.user(EXEMPT);
    busyWith(boss);
    assertThat(world.send(world.events().text(boss, "help"))).isEqualTo(200);
    world.weather.release();
    List<Shown> all = world.line.await(EXEMPT, 2);
    assertThat(text(all.get(0))).contains("臺北市");
    assertThat(text(all.get(1))).contains("語言");
  }

  @Test
  void theLockEndsAfterItsTimeoutAlthoughTheWorkGoesOn() {
    Map<String, String> hasteful = Map.of("processing_lock.timeout_seconds", "1");
    try (LineWorld hasty = LineWorld.start(hasteful)) {
      From who = LineWorld.somebody();
      hasty.weather.hold();
      assertThat(hasty.send(hasty.events().text(who, "台北"))).isEqualTo(200);
      hasty.weather.awaitQuestion();
      LineWorld.await(
          () -> {
            assertThat(hasty.send(hasty.events().text(who, "help"))).isEqualTo(200);
            return hasty.line.shown(String.valueOf(who.chat())).stream()
                .anyMatch(one -> text(one).contains("語言"));
          });
      hasty.weather.release();
    }
  }

  @Test
  void withoutLocksAllEventsAreAnsweredInOrder() {
    try (LineWorld free = LineWorld.start(Map.of("processing_lock.enabled", "off"))) {
      From who = LineWorld.somebody();
      free.weather.hold();
      assertThat(free.send(free.events().text(who, "台北"), free.events().text(who, "高雄")))
          .isEqualTo(200);
      free.weather.awaitQuestion();
      free.weather.release();
      List<Shown> all = free.line.await(String.valueOf(who.chat()), 2);
      assertThat(all.stream().map(LineLockTest::text))
          .satisfiesExactly(
              first -> assertThat(first).contains("臺北市"),
              second -> assertThat(second).contains("高雄市"));
    }
  }
}
