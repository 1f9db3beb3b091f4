package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Journal;
import fairgate.crowd.proof.NodePorts;
import fairgate.crowd.proof.ProofCrowd;
import fairgate.platform.http.Loops;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The operator who opens sales, at a server that is away for long.
@Tag("slow")
class SalesTest {
  private static final String SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

  /// The calls of a blackout on a slow machine: half a minute, at four a second.
  private static final int AWAY = 120;

  private final Vertx vertx = Loops.vertx(1);
  private final AtomicInteger asked = new AtomicInteger();
  private HttpServer server;
  private Gateway gateway;
  private ProofCrowd crowd;

  @BeforeEach
  void open() throws Exception {
    server =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  var _ = request.response().setStatusCode(status(request.uri())).end("{}");
                })
            .listen(0, "127.0.0.1")
            .await(60, TimeUnit.SECONDS);
    NodePorts doors = new NodePorts(List.of(server.actualPort()));
    Journal journal = new Journal();
    gateway = Gateway.open(vertx, doors, journal, SECRET);
    crowd = new ProofCrowd(vertx, doors, gateway, journal, "operator");
  }

  @AfterEach
  void close() throws Exception {
    crowd.close();
    gateway.close();
    var _ = vertx.close().await(60, TimeUnit.SECONDS);
  }

  /// Buyers learn that there is no such sale, and go.
  private int status(String uri) {
    if (!uri.startsWith("/api/admin/")) {
      return 404;
    }
    return asked.incrementAndGet() <= AWAY ? 503 : 201;
  }

  private Sales sales(Sales.Retry retry) {
    return new Sales(crowd, Clock.systemUTC(), new Random(1), retry);
  }

  @Test
  void aSaleOpensOnceTheServersAreBackFromALongBlackout() {
    assertThat(sales(new Sales.Retry(Duration.ofMinutes(5), Duration.ZERO)).next()).isTrue();
    assertThat(asked.get()).isGreaterThan(AWAY);
  }

  @Test
  void theOperatorGivesUpAtTheLimit() {
    assertThat(sales(new Sales.Retry(Duration.ZERO, Duration.ZERO)).next()).isFalse();
  }

  @Test
  void theOperatorWaitsAsLongAsAFaultMayTake() {
    assertThat(Sales.Retry.THROUGH_FAULTS.limit())
        .isGreaterThanOrEqualTo(FaultInjector.DRIVE_LIMIT);
  }
}
