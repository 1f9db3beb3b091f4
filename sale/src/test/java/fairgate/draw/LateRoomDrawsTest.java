package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import fairgate.TestEngines;
import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.store.DrawLogs;
import fairgate.draw.witness.Witnesses;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderDraws.Sealed;
import fairgate.kernel.OrderDraws.State;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeDrand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/// Rooms that wait for a beacon without rounds, or one that hangs. All rooms wait for the same
/// round, of an hour ago on the clock of the nodes.
class LateRoomDrawsTest {
  private static final Duration HOURS = Duration.ofHours(2);

  private final Clock clock = Clock.offset(Clock.systemUTC(), HOURS);
  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final DrawKeys keys =
      new DrawKeys(new KeyRing("k1", Map.of("k1", new byte[32])), "shop.example/fairgate");
  private final DrawLogs logs = new DrawLogs(books.database(), keys::signer);
  private final FakeDrand drand =
      TestBeacon.start(System.currentTimeMillis() / 1000 - 60, 3_600, clock);
  private final PostgresRoomDraws store =
      new PostgresRoomDraws(
          books.database(),
          logs,
          keys.houseOrigin(),
          new PostgresRoomDraws.Terms(
              drand.info(), Duration.ZERO, new Witnesses.Config(List.of(), 0)));

  LateRoomDrawsTest() {
    logs.create(keys.houseOrigin());
  }

  @AfterEach
  void close() {
    drand.close();
    logs.close();
    books.close();
  }

  private RoomDraws node(BeaconSources sources, Duration pass) {
    return new RoomDraws(
        store,
        logs,
        (_, index, _) -> logs.proof(keys.houseOrigin(), index, new byte[0]).map(it -> it.text()),
        sources,
        new AtomicBoolean(),
        clock,
        pass);
  }

  private static Sealed room(int number) {
    return new Sealed("room-" + number, 7, 50);
  }

  private static boolean isDecided(RoomDraws node, int number) {
    return node.of(room(number)) instanceof State.Decided;
  }

  @Test
  void aRoundIsFetchedOnceInAPassForAllRoomsThatWaitForIt() {
    drand.silent(true);
    try (BeaconSources sources = new BeaconSources(List.of(drand.url()))) {
      RoomDraws node = node(sources, Duration.ofHours(1));
      for (int i = 0; i < 10; i++) {
        assertThat(node.of(room(i))).isEqualTo(new State.Announcing());
      }
      node.pass();
      assertThat(drand.asked()).isEqualTo(1);
      drand.silent(false);
      node.pass();
      assertThat(drand.asked()).isEqualTo(2);
      for (int i = 0; i < 10; i++) {
        assertThat(isDecided(node, i)).as("room %d", i).isTrue();
      }
    }
  }

  @Test
  void eachRoomThatWaitsForALateRoundIsInTheLogOnceAMinute() {
    Logger logger = (Logger) LoggerFactory.getLogger(RoomDraws.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    drand.silent(true);
    try (BeaconSources sources = new BeaconSources(List.of(drand.url()))) {
      RoomDraws node = node(sources, Duration.ofHours(1));
      for (int i = 0; i < 2; i++) {
        assertThat(node.of(room(i))).isEqualTo(new State.Announcing());
      }
      for (int i = 0; i < 3; i++) {
        node.pass();
      }
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list.stream().map(ILoggingEvent::getFormattedMessage))
        .filteredOn(line -> line.startsWith("A room waits"))
        .satisfiesExactlyInAnyOrder(
            line -> assertThat(line).contains("room=room-0 "),
            line -> assertThat(line).contains("room=room-1 "));
  }

  /// The sources would hang for fifty minutes.
  @Test
  @Timeout(120)
  void aBeaconThatHangsDelaysNoAnnouncementNoRoundFromAnybodyAndNoShutdown() throws IOException {
    try (ServerSocket hanging = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + hanging.getLocalPort();
      BeaconSources sources = new BeaconSources(Collections.nCopies(1_000, url));
      RoomDraws node = node(sources, Duration.ofMillis(20));
      assertThat(node.of(room(0))).isEqualTo(new State.Announcing());
      node.start();
      try (Socket asked = hanging.accept()) {
        assertThat(asked.isConnected()).isTrue();
        assertThat(node.of(room(1))).isEqualTo(new State.Announcing());
        Eventually.await(
            "the other room is announced", () -> node.of(room(1)) instanceof State.Waiting);
        BeaconRound round = store.find("room-1", 7).orElseThrow().seal().beacon();
        node.decide(node.waiting(), HexFormat.of().parseHex(drand.signature(round.round())));
        Eventually.await("a round from anybody decides", () -> isDecided(node, 1));
        long begun = System.nanoTime();
        node.close();
        sources.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(60));
      }
    }
  }
}
