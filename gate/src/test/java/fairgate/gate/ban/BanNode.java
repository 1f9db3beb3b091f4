package fairgate.gate.ban;

import fairgate.gate.ban.BanService.BanDependencies;
import fairgate.gate.challenge.GateFixture;
import fairgate.kernel.BanSubject;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Objects;

/// The bans of one node with a manual clock (PostgreSQL uses its own).
final class BanNode implements AutoCloseable {
  final Metrics metrics = new Metrics();
  final BanService bans;
  private final Networks networks;
  private volatile Duration ahead = Duration.ZERO;

  BanNode(
      Vertx vertx,
      PostgresDatabase database,
      GateFixture fixture,
      BanService.Config config,
      Networks.Config files) {
    networks = Networks.open(files);
    Clock real = Clock.systemUTC();
    InstantSource source = () -> Instant.now(real).plus(ahead);
    bans =
        BanService.open(
            config,
            new BanDependencies(
                vertx, database, source.withZone(ZoneOffset.UTC), fixture.keys, networks, metrics));
  }

  void advance(Duration by) {
    ahead = ahead.plus(by);
  }

  static ClientAddress address(String text) {
    return Objects.requireNonNull(ClientAddress.parse(text));
  }

  static BanSubject subject(BanSubject.Kind kind, String text) {
    return Objects.requireNonNull(BanSubject.parse(kind, text));
  }

  boolean banned(String address) {
    return banned(new Caller(address(address), "", null, null, null));
  }

  boolean banned(Caller caller) {
    return bans.find(caller.address(), () -> caller).isPresent();
  }

  @Override
  public void close() {
    bans.close();
    networks.close();
  }
}
