package fairgate.link.click;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.link.click.Clicks.ClickBatch;
import fairgate.link.click.Clicks.Visitor;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.TestDatabase;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClickWriterTest {
  private static final long HOUR = 1_790_000_000_000L - 1_790_000_000_000L % 3_600_000;
  private static final ClientAddress SOMEBODY =
      Objects.requireNonNull(ClientAddress.parse("10.0.0.1"));

  private final Vertx vertx = Vertx.vertx();
  private final PostgresDatabase postgres = open();
  private final Clicks clicks = new Clicks(new Metrics());

  private PostgresDatabase open() {
    PostgresAddress at = TestEngines.shared().freshDatabase();
    return TestDatabase.open(vertx, at, 2);
  }

  @AfterEach
  void close() {
    postgres.close();
    vertx.close().await();
  }

  /// A writer writes what there is when it is closed.
  private void write() {
    new ClickWriter(postgres, new Salts(), clicks).close();
  }

  private String written() {
    return postgres
        .reading(
            db ->
                db.query("SELECT clicks || ' ' || bots || ' ' || visitors FROM short_link_clicks"))
        .getFirst()
        .getString(0);
  }

  /// Nothing but the salt of a day is asked for.
  private static final class Salts implements Ids {
    @Override
    public String nonce() {
      return UUID.randomUUID().toString();
    }

    @Override
    public SessionId session() {
      throw new UnsupportedOperationException();
    }

    @Override
    public OrderId order(ProductId product) {
      throw new UnsupportedOperationException();
    }

    @Override
    public DeviceId device() {
      throw new UnsupportedOperationException();
    }
  }

  @Test
  void aVisitorWhoComesWithoutTheClickIsCountedNevertheless() {
    clicks.add(clicks.newCounter("a"), SOMEBODY, "one", false, HOUR);
    write();
    clicks.giveBack(new ClickBatch(Map.of(), Set.of(new Visitor("a", HOUR, SOMEBODY, "other"))));
    write();
    assertThat(written()).isEqualTo("1 0 2");
  }
}
