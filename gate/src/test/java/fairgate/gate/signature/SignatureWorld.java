package fairgate.gate.signature;

import fairgate.TestEngines;
import fairgate.gate.challenge.GateFixture;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.TestDatabase;
import java.time.Duration;

/// API keys in a fresh database, with a fixed clock.
final class SignatureWorld implements AutoCloseable {
  final GateFixture gate = new GateFixture();
  final PostgresDatabase database;
  final ApiKeys keys;
  final SignatureService service;

  SignatureWorld() {
    PostgresAddress at = TestEngines.shared().freshDatabase();
    database = TestDatabase.open(gate.vertx, at, 4);
    keys = node();
    service = new SignatureService(keys, gate.clock, Duration.ofSeconds(60));
  }

  /// The key cache of another node.
  ApiKeys node() {
    return ApiKeys.open(database, gate.keys, gate.ids, gate.clock);
  }

  @Override
  public void close() {
    keys.close();
    database.close();
    gate.close();
  }
}
