package fairgate.platform.audit;

import static fairgate.platform.audit.AuditWorld.event;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.kernel.AuditEvent.Kind;
import fairgate.platform.audit.AuditLog.AuditUpkeep;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Retention. Days are aged by changing their dates, which breaks their hashes; the chain is
/// therefore checked after restoring the dates.
class AuditUpkeepTest {
  private final AuditWorld world = new AuditWorld(TestEngines.shared());
  private final PostgresAuditReads reads = new PostgresAuditReads(world.books.database());

  @AfterEach
  void close() {
    world.close();
  }

  private long count(String where) {
    return world.books.number("SELECT count(*) FROM audit_log WHERE " + where);
  }

  private void write() {
    try (AuditLog log = world.open("one")) {
      log.record(event(Kind.JOIN, "joined"));
      log.record(event(Kind.ADMIN, "act"));
      log.record(event(Kind.JOIN, "joined"));
    }
  }

  @Test
  void contentsExpireByKindAndTheChainStaysIntact() {
    write();
    world.age(10);
    AuditLog.Config config = AuditLog.Config.of(5, 100);
    new AuditUpkeep(reads, config).now();
    assertThat(count("kind = 'join' AND content IS NULL AND digest IS NOT NULL")).isEqualTo(2);
    assertThat(count("kind = 'admin' AND content IS NOT NULL")).isEqualTo(1);
    world.age(-10);
    AuditVerifier.Report report = world.verify(AuditLog.Config.of(-1, 100));
    assertThat(report.problems()).isEmpty();
    assertThat(report.erased()).isEqualTo(2);
  }

  @Test
  void unexpiredContentsStay() {
    write();
    world.age(10);
    new AuditUpkeep(reads, AuditLog.Config.of(10, 10)).now();
    assertThat(count("content IS NULL")).isZero();
  }

  @Test
  void anExpiredDayIsDroppedAndTheNextStillFollowsIt() {
    write();
    world.age(10);
    write();
    AuditLog.Config config = AuditLog.Config.of(5, 7);
    new AuditUpkeep(reads, config).now();
    assertThat(count("true")).isEqualTo(3);
    AuditVerifier.Report report = world.verify(config);
    assertThat(report.problems()).isEmpty();
    assertThat(report.days()).isEqualTo(2);
    assertThat(report.events()).isEqualTo(3);
  }
}
