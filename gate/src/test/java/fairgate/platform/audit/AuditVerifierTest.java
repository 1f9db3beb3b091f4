package fairgate.platform.audit;

import static fairgate.platform.audit.AuditWorld.event;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.challenge.GateFixture;
import fairgate.kernel.AuditEvent.Kind;
import fairgate.kernel.KeyRing;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Changes that an attacker with full access to the database, but without the server's keys, cannot
/// hide.
@Tag("slow")
class AuditVerifierTest {
  private final AuditWorld world = new AuditWorld(TestEngines.shared());

  @BeforeEach
  void write() {
    try (AuditLog log = world.open("one")) {
      for (int i = 0; i < 6; i++) {
        log.record(event(i == 2 ? Kind.ADMIN : Kind.JOIN, "n" + i));
      }
    }
    assertThat(world.verify().problems()).isEmpty();
  }

  @AfterEach
  void close() {
    world.close();
  }

  private void isNoticed(String sql, String said) {
    world.tamper(sql);
    assertThat(world.verify().problems()).singleElement().asString().contains(said);
  }

  @Test
  void aChangedContentIsFound() {
    isNoticed(
        "UPDATE audit_log SET content = replace(content, 'n3', 'n9') WHERE seq = 4",
        "event 4 was changed");
  }

  @Test
  void aChangedTimeIsFound() {
    isNoticed(
        "UPDATE audit_log SET at = at + interval '1 ms' WHERE seq = 4", "event 4 was changed");
  }

  @Test
  void aChangedKindIsFound() {
    isNoticed("UPDATE audit_log SET kind = 'join' WHERE seq = 3", "event 3 was changed");
  }

  @Test
  void aRemovedEventIsFound() {
    isNoticed("DELETE FROM audit_log WHERE seq = 3", "has no event 3");
  }

  @Test
  void aRemovedEventIsFoundAfterRenumbering() {
    world.tamper("DELETE FROM audit_log WHERE seq = 3");
    isNoticed("UPDATE audit_log SET seq = seq - 1 WHERE seq > 3", "event 3 was changed");
  }

  @Test
  void twoExchangedEventsAreFound() {
    world.tamper("UPDATE audit_log SET seq = 100 WHERE seq = 3");
    world.tamper("UPDATE audit_log SET seq = 3 WHERE seq = 4");
    isNoticed("UPDATE audit_log SET seq = 4 WHERE seq = 100", "event 3 was changed");
  }

  @Test
  void aTruncatedEndIsFound() {
    isNoticed("DELETE FROM audit_log WHERE seq > 4", "has 4 events and should have 6");
  }

  @Test
  void aDayRemovedBeforeItsEventsIsFound() {
    isNoticed("DELETE FROM audit_days", "is missing and has 6 events");
  }

  @Test
  void anAddedRowIsFound() {
    isNoticed(
        """
        INSERT INTO audit_log SELECT day, 7, at, kind, content, NULL, hash FROM audit_log
        WHERE seq = 6
        """,
        "has 7 events and should have 6");
  }

  @Test
  void aContentErasedTooEarlyIsFound() {
    isNoticed(
        """
        UPDATE audit_log SET content = NULL,
          digest = encode(sha256(convert_to(content, 'UTF8')), 'hex') WHERE seq = 3
        """,
        "has lost its content before its time");
  }

  @Test
  void aDayDroppedTooEarlyIsFound() {
    world.tamper("DELETE FROM audit_log");
    isNoticed("UPDATE audit_days SET dropped = true", "gone before its time");
  }

  @Test
  void anUnkeyedHashIsNotAccepted() {
    // Recomputed from the second row on, with other keys than the server's.
    world.tamper("DELETE FROM audit_log WHERE seq > 1");
    String first = world.books.query("SELECT hash FROM audit_log").getFirst().getString(0);
    world.tamper("UPDATE audit_days SET events = 1, head = '" + first + "'");
    KeyRing theirs = GateFixture.keys("k2", "k1", "k2");
    KeyRing other = new KeyRing("k1", java.util.Map.of("k1", new byte[32]));
    assertThat(theirs.current()).isNotEqualTo(other.current());
    var _ =
        new PostgresAudit(world.books.database(), other)
            .append(List.of(new PostgresAudit.Draft(1, "join", "{}", 1)));
    assertThat(world.verify().problems())
        .singleElement()
        .asString()
        .contains("event 2 was changed");
  }

  @Test
  void aMissingDayIsFound() {
    world.age(1);
    try (AuditLog log = world.open("one")) {
      log.record(event(Kind.JOIN, "today"));
    }
    world.tamper("DELETE FROM audit_log WHERE day < now()::date");
    isNoticed("DELETE FROM audit_days WHERE day < now()::date", "does not follow the day before");
  }

  @Test
  void aMissingKeyIsReported() {
    KeyRing other = new KeyRing("k9", java.util.Map.of("k9", new byte[32]));
    AuditVerifier verifier =
        new AuditVerifier(
            world.books.database(), other, AuditLog.Config.defaults(), Clock.systemUTC());
    assertThat(verifier.verify().problems()).singleElement().asString().contains("key k1");
  }

  @Test
  void aMissingKeyIsReportedOnceForAllItsDays() {
    world.age(1);
    try (AuditLog log = world.open("one")) {
      log.record(event(Kind.JOIN, "today"));
    }
    KeyRing other = new KeyRing("k9", java.util.Map.of("k9", new byte[32]));
    AuditVerifier verifier =
        new AuditVerifier(
            world.books.database(), other, AuditLog.Config.defaults(), Clock.systemUTC());
    assertThat(verifier.verify().problems())
        .singleElement()
        .asString()
        .startsWith("master_secret lacks key k1, which made 2 days");
  }

  @Test
  void aLogThatGrowsDuringTheRunIsIntact() throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    try (AuditLog log = world.open("two")) {
      Thread writer =
          Thread.ofVirtual()
              .start(
                  () -> {
                    while (!over.get()) {
                      log.record(event(Kind.ADMIN, "meanwhile"));
                    }
                  });
      for (int i = 0; i < 40; i++) {
        assertThat(world.verify().problems()).isEmpty();
      }
      over.set(true);
      writer.join();
    }
    assertThat(world.verify().events()).isGreaterThan(6);
  }
}
