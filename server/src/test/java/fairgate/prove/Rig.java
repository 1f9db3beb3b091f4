package fairgate.prove;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.proof.Doors;
import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Journal;
import fairgate.crowd.proof.ProofCrowd;
import fairgate.crowd.proof.Terms;
import fairgate.crowd.proof.Way;
import fairgate.platform.http.Loops;
import fairgate.prove.check.Checker;
import fairgate.prove.check.Evidence;
import fairgate.prove.check.Tally;
import fairgate.prove.check.Watch;
import fairgate.prove.stage.Engines;
import fairgate.prove.stage.Node;
import fairgate.prove.stage.Stage;
import fairgate.prove.stage.Waiting;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// A stage with one node, for sales that are judged one by one.
final class Rig implements AutoCloseable {
  private static final String SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final String OPERATOR = "operator-of-the-planted-faults";
  private static final int PEOPLE = 40;
  private static final int UNITS = 24;
  private static final Duration SALE = Duration.ofSeconds(5);
  private static final Duration MONEY = Duration.ofSeconds(20);
  private static final int TRIES = 10;
  private static final int CONFLICT = 409;

  private final Vertx vertx = Loops.vertx(1);
  private final Journal callbacks = new Journal();
  private final Engines engines;
  private final Stage stage;
  private final Gateway gateway;

  Rig(Path folder) throws IOException, TimeoutException {
    this(folder, Optional.empty());
  }

  /// @param kafkaHome where entries go through a Kafka
  Rig(Path folder, Optional<Path> kafkaHome) throws IOException, TimeoutException {
    this.engines =
        Engines.start(folder.resolve("engines"), new Engines.Choice(false, kafkaHome, 1));
    this.stage = Stage.set(engines, Stage.processes(), folder, 1);
    this.gateway = Gateway.open(vertx, Proof.doors(stage), callbacks, SECRET);
    stage.settings(
        Map.of(
            "FAIRGATE_OPERATOR_TOKEN",
            OPERATOR,
            "FAIRGATE_MASTER_SECRET",
            "k1:" + "0123456789abcdef".repeat(4),
            "FAIRGATE_PAYMENT",
            "webhook",
            "FAIRGATE_PAYMENT_SECRET",
            SECRET,
            "FAIRGATE_PAYMENT_CLOSE_URL",
            gateway.url("/close"),
            "FAIRGATE_PAYMENT_REFUND_URL",
            gateway.url("/refund")));
    stage.allUp();
  }

  Engines engines() {
    return engines;
  }

  Node node() {
    return stage.nodes().getFirst();
  }

  /// One sale, its people, and what was seen of it.
  final class Run implements AutoCloseable {
    private final Journal journal = new Journal();
    private final Tally tally = new Tally();
    private final String product;
    private final ProofCrowd crowd;
    private final Watch watch;

    /// Creates the sale, opens it and sends people.
    ///
    /// @param policy JSON object
    Run(String product, String policy, boolean pays) throws IOException {
      this.product = product;
      Doors doors = Proof.doors(stage);
      this.crowd = new ProofCrowd(vertx, doors, gateway, journal, OPERATOR);
      this.watch = new Watch(engines, evidence(), () -> List.of(product), tally);
      ObjectNode body =
          JsonNodeFactory.instance
              .objectNode()
              .put("id", product)
              .put("name", "Planted")
              .put("image_url", "")
              .put("price", 100)
              .put("total_stock", UNITS);
      body.set("policy", new ObjectMapper().readTree(policy));
      insist("/products", body);
      crowd.send(new Terms(product, 2, pays, pays ? 1_000 : 0), PEOPLE, 800, product.hashCode());
      insist("/products/" + product + "/open", null);
    }

    /// Asks again where the outcome is unknown; what was done the first time is a conflict then.
    private void insist(String path, @Nullable ObjectNode body) {
      Answer answer = crowd.admin(path, body);
      for (int i = 0; i < TRIES && answer.unknown(); i++) {
        answer = crowd.admin(path, body);
        if (answer.status() == CONFLICT) {
          return;
        }
      }
      if (answer.status() / 100 != 2) {
        throw new IllegalStateException(path + ": " + answer);
      }
    }

    private Evidence evidence() {
      return new Evidence(List.of(product), journal, gateway, stage.chronicle());
    }

    Journal journal() {
      return journal;
    }

    /// Waits until money was taken that has to go back: on a busy machine people take longer, and
    /// without it nothing could be found.
    void awaitOwed() {
      Waiting.until("money to give back", MONEY, this::owed);
    }

    private boolean owed() {
      return gateway.captured().stream()
          .filter(payment -> payment.order().startsWith("order_" + product + "_"))
          .anyMatch(payment -> payment.way() == Way.SECOND || payment.way() == Way.WRONG);
    }

    /// Waits for the people to go and for everything to come to rest, as far as it does, and
    /// compares.
    ///
    /// @param rest how long that may take
    Tally judge(Duration rest) throws SQLException, IOException {
      boolean _ = Waiting.holds(SALE, () -> crowd.inside() == 0);
      crowd.goHome();
      boolean _ = Waiting.holds(SALE, () -> gateway.busy() == 0);
      Checker checker = new Checker(engines, evidence(), tally);
      boolean _ = Waiting.holds(rest, checker::atRest);
      watch.close();
      checker.check();
      return tally;
    }

    @Override
    public void close() {
      crowd.close();
      watch.close();
    }
  }

  @Override
  public void close() throws TimeoutException {
    stage.close();
    gateway.close();
    engines.close();
    var _ = vertx.close().await(10, TimeUnit.SECONDS);
  }
}
