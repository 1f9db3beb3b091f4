package fairgate.platform.audit;

import fairgate.TestEngines;
import fairgate.gate.challenge.GateFixture;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import fairgate.kernel.SessionId;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.FreshDatabase;
import java.time.Clock;
import java.util.Map;
import java.util.Objects;

/// A fresh database and the dependencies of an audit log.
final class AuditWorld implements AutoCloseable {
  static final String SESSION = "3f0c1c1e-7c1f-4d36-9a53-0d0f9e6f2a11";
  static final DeviceId DEVICE = new DeviceId("AAAAAAAAAAAAAAAAAAAAAA");
  static final Caller ALICE =
      new Caller(
          Objects.requireNonNull(ClientAddress.parse("203.0.113.9")),
          "Mozilla/5.0 \"Quoted\"",
          DEVICE,
          new SessionId(SESSION),
          "alice");

  final FreshDatabase books;
  final GateFixture fixture = new GateFixture();
  final KeyRing keys = GateFixture.keys("k1", "k1", "k2");

  AuditWorld(TestEngines engines) {
    this.books = new FreshDatabase(engines);
  }

  AuditLog open(String node) {
    return open(node, AuditLog.Config.defaults());
  }

  AuditLog open(String node, AuditLog.Config config) {
    return AuditLog.open(
        config,
        new AuditLog.Parts(
            books.database(), keys, Clock.systemUTC(), fixture.ids, new Metrics(), node));
  }

  AuditVerifier.Report verify() {
    return verify(AuditLog.Config.defaults());
  }

  AuditVerifier.Report verify(AuditLog.Config config) {
    return new AuditVerifier(books.database(), keys, config, Clock.systemUTC()).verify();
  }

  static AuditEvent event(AuditEvent.Kind kind, String what) {
    return new AuditEvent(kind, what, ALICE, Map.of("product", "7"));
  }

  /// Changes the database like an attacker with full access to it.
  void tamper(String sql) {
    var _ =
        books
            .database()
            .tx(
                db -> {
                  db.update("ALTER TABLE audit_log DISABLE TRIGGER USER");
                  db.update(sql);
                  return db.update("ALTER TABLE audit_log ENABLE TRIGGER USER");
                });
  }

  /// Moves all events this number of days into the past.
  void age(int days) {
    var _ =
        books
            .database()
            .tx(
                db -> {
                  db.update("ALTER TABLE audit_log DISABLE TRIGGER USER");
                  db.update("UPDATE audit_log SET day = day - $1::int", days);
                  db.update("UPDATE audit_days SET day = day - $1::int", days);
                  return db.update("ALTER TABLE audit_log ENABLE TRIGGER USER");
                });
  }

  @Override
  public void close() {
    fixture.close();
    books.close();
  }
}
