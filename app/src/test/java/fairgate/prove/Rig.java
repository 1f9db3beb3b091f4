package fairgate.prove;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.app.ServerProcess;
import fairgate.crowd.Answer;
import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Journal;
import fairgate.crowd.proof.NodePorts;
import fairgate.crowd.proof.ProofCrowd;
import fairgate.crowd.proof.SaleTerms;
import fairgate.platform.http.Loops;
import fairgate.prove.check.Checker;
import fairgate.prove.check.Evidence;
import fairgate.prove.check.Invariant;
import fairgate.prove.check.InvariantResults;
import fairgate.prove.check.Names;
import fairgate.prove.check.PastRoomCheck;
import fairgate.prove.check.RoomCheck;
import fairgate.prove.check.RoomWatch;
import fairgate.prove.check.Watch;
import fairgate.prove.environment.Engines;
import fairgate.prove.environment.Node;
import fairgate.prove.environment.ProofEnvironment;
import fairgate.prove.environment.Resp;
import fairgate.prove.environment.Waiting;
import fairgate.prove.fault.Fault;
import fairgate.prove.fault.FaultContext;
import fairgate.prove.room.RoomCrowd;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// A stage with one node or more, for sales that are judged one by one.
final class Rig implements AutoCloseable {
  private static final String SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final String OPERATOR = "operator-of-the-planted-faults";
  private static final int PEOPLE = 40;
  private static final int UNITS = 24;
  private static final int FEW = 2;
  private static final int FIRST_BUYERS = 5;
  private static final int ON_THE_LIST = 4;
  private static final Duration SALE = Duration.ofSeconds(5);

  /// What the busiest machine may take; only a failure takes it all.
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  /// Time in which people come again and again until a fault shows: all sales of a class run at the
  /// same time, and a busy machine leaves few rounds to each.
  private static final Duration FINDING = Duration.ofMinutes(10);

  /// A sale with a fault may never come to rest.
  private static final Duration REST = Duration.ofSeconds(4);

  /// A ledger that goes on at all is fed again within seconds.
  private static final Duration GOING_ON = Duration.ofSeconds(40);

  /// Time in which the visitors of a room come and go on a busy machine.
  private static final Duration ROOM = Duration.ofSeconds(30);

  private static final int CONFLICT = 409;
  private static final int BUSY = 503;
  private static final int AGAIN_MS = 100;

  private final Vertx vertx = Loops.vertx(1);
  private final Journal callbacks = new Journal();
  private final Engines engines;
  private final ProofEnvironment stage;
  private final Gateway gateway;

  Rig(Path folder) throws IOException, TimeoutException {
    this(folder, Optional.empty(), 1);
  }

  /// @param kafkaHome where entries go through a Kafka
  Rig(Path folder, Optional<Path> kafkaHome, int nodes) throws IOException, TimeoutException {
    this(folder, new Engines.Choice(false, false, kafkaHome, nodes), Map.of());
  }

  /// @param settings further environment variables of the nodes
  Rig(Path folder, Engines.Choice choice, Map<String, String> settings)
      throws IOException, TimeoutException {
    int nodes = choice.nodes();
    this.engines = Engines.start(folder.resolve("engines"), choice);
    this.stage = ProofEnvironment.set(engines, ServerProcess.nodes(), folder, nodes);
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
    stage.settings(settings);
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
    private final InvariantResults tally = new InvariantResults();
    private final String product;
    private final SaleTerms terms;
    private final ProofCrowd crowd;
    private final Watch watch;

    /// Creates the sale, opens it and sends people.
    ///
    /// @param policy JSON object
    Run(String product, String policy, boolean pays) throws IOException {
      this.product = product;
      this.terms = new SaleTerms(product, 2, pays, pays ? 1_000 : 0, !pays);
      NodePorts doors = Proof.doors(stage);
      this.crowd = new ProofCrowd(vertx, doors, gateway, journal, OPERATOR);
      this.watch = new Watch(engines, evidence(), () -> List.of(product), tally);
      ObjectNode body =
          object()
              .put("id", product)
              .put("name", "Planted")
              .put("image_url", "")
              .put("price", 100)
              .put("total_stock", UNITS);
      body.set("policy", new ObjectMapper().readTree(policy));
      insist("/products", body);
      if (terms.tickets() && !Waiting.holds(PATIENCE, () -> crowd.giveTickets(product).ok())) {
        throw new IllegalStateException("the sale " + product + " has no tickets");
      }
      send(0);
      insist("/products/" + product + "/open", null);
    }

    private void send(int wave) {
      crowd.send(terms, PEOPLE, 800, product.hashCode() + wave);
      if (terms.pays()) {
        crowd.register(terms, ON_THE_LIST, 800, product.hashCode() - wave);
      }
    }

    /// Asks again while the server is too busy or the outcome is unknown; what was done the first
    /// time is a conflict then.
    private void insist(String path, @Nullable ObjectNode body) {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      boolean mayBeDone = false;
      while (true) {
        Answer answer = crowd.admin(path, body);
        if (answer.status() / 100 == 2 || (mayBeDone && answer.status() == CONFLICT)) {
          return;
        }
        mayBeDone |= answer.unknown();
        boolean mayGoOn = answer.unknown() || answer.status() == BUSY;
        if (!mayGoOn || System.nanoTime() > deadline) {
          throw new IllegalStateException(path + ": " + answer);
        }
        Waiting.rest(AGAIN_MS);
      }
    }

    private Evidence evidence() {
      return new Evidence(List.of(product), journal, gateway, stage.runLog());
    }

    Journal journal() {
      return journal;
    }

    /// Where a fault of a proof strikes this sale.
    FaultContext site() {
      FaultContext.People people = new FaultContext.People(crowd, journal, gateway);
      return new FaultContext(
          stage, people, () -> List.of(product), new Random(1), false, GOING_ON);
    }

    /// Adds units and sends as many people again.
    void again(int wave, int units) {
      add(wave, units);
      send(wave);
    }

    private void add(int wave, int units) {
      insist(
          "/products/" + product + "/stock",
          object().put("quantity", units).put("key", "more-" + wave));
    }

    private long free() throws IOException {
      try (Resp redis = engines.master(product).open()) {
        Object free = redis.call("GET", Names.of(product, engines.clustered()).stock());
        return Long.parseLong(String.valueOf(free));
      }
    }

    /// Has people come until what has to be found is found: what one of them does that shows it is
    /// chance, and a busy machine leaves less to it. Units are added to a sale that is sold out:
    /// some faults show only when the last ones are bought.
    InvariantResults judge(Invariant found) throws SQLException, IOException {
      long deadline = System.nanoTime() + FINDING.toNanos();
      judge(SALE, REST);
      for (int more = 1; broken(found) == 0 && System.nanoTime() < deadline; more++) {
        if (free() <= FEW) {
          add(more, UNITS);
        }
        send(more);
        refundOne();
        // Longer each time: on a busy machine the ledger is behind.
        judge(SALE, REST.multipliedBy(more + 1L));
      }
      return tally;
    }

    /// Has people come, with a fault that strikes while they buy, until the count of an invariant
    /// is not zero.
    InvariantResults judge(
        Invariant invariant, Fault fault, ToLongFunction<InvariantResults.InvariantResult> count)
        throws SQLException, IOException {
      long deadline = System.nanoTime() + FINDING.toNanos();
      boolean _ = strike(fault);
      judge();
      for (int more = 1; count(invariant, count) == 0 && System.nanoTime() < deadline; more++) {
        again(more, UNITS);
        boolean _ = strike(fault);
        judge();
      }
      return tally;
    }

    private long count(
        Invariant invariant, ToLongFunction<InvariantResults.InvariantResult> count) {
      return tally.verdicts().entrySet().stream()
          .filter(entry -> entry.getKey() == invariant)
          .mapToLong(entry -> count.applyAsLong(entry.getValue()))
          .sum();
    }

    /// Strikes once some people have bought. Returns whether the fault hit.
    boolean strike(Fault fault) throws SQLException, IOException {
      int before = journal.accepted();
      boolean _ = Waiting.holds(SALE, () -> journal.accepted() > before + FIRST_BUYERS);
      return fault.strike(site());
    }

    /// People have few orders refunded: chance alone may leave a sale without a refund.
    private void refundOne() throws SQLException, IOException {
      try (Connection sql = engines.sql();
          PreparedStatement query =
              sql.prepareStatement(
                  "SELECT order_id FROM orders WHERE product_id = ? AND status = 'paid' LIMIT 1")) {
        query.setString(1, product);
        ResultSet paid = query.executeQuery();
        if (paid.next()) {
          Answer _ =
              crowd.admin(
                  "/orders/" + paid.getString(1) + "/refund", object().put("reason", "A test."));
        }
      }
    }

    private long broken(Invariant invariant) {
      return count(invariant, InvariantResults.InvariantResult::broken);
    }

    /// Judges a sale that has to come to rest.
    InvariantResults judge() throws SQLException, IOException {
      judge(PATIENCE, PATIENCE);
      return tally;
    }

    /// Judges a sale that cannot come to rest.
    InvariantResults judgeWithUnfinishedWork() throws SQLException, IOException {
      judge(SALE, REST);
      return tally;
    }

    /// Judges a sale that has to come to rest, and has more people come until an invariant was
    /// exercised: on a busy machine the first ones may go home before the sale is sold out.
    InvariantResults judgeExercised(Invariant invariant) throws SQLException, IOException {
      long deadline = System.nanoTime() + FINDING.toNanos();
      judge();
      for (int more = 1;
          count(invariant, InvariantResults.InvariantResult::facts) == 0
              && System.nanoTime() < deadline;
          more++) {
        send(more);
        judge();
      }
      return tally;
    }

    /// Waits for the people to go and for everything to come to rest, as far as it does, and
    /// compares.
    private void judge(Duration people, Duration rest) throws SQLException, IOException {
      boolean _ = Waiting.holds(SALE, () -> crowd.inside() == 0);
      crowd.goHome();
      boolean _ = Waiting.holds(people, () -> crowd.inside() == 0 && !gateway.busy(product));
      Checker checker = new Checker(engines, evidence(), tally);
      boolean _ = Waiting.holds(rest, checker::atRest);
      checker.check();
      watch.checkWaitingLists();
    }

    @Override
    public void close() {
      crowd.close();
      watch.close();
    }
  }

  /// One waiting room, its visitors, and what was seen of it.
  final class RoomRun implements AutoCloseable {
    private final InvariantResults tally = new InvariantResults();
    private final RoomCrowd crowd = new RoomCrowd(Proof.doors(stage), OPERATOR, PATIENCE);
    private final RoomWatch watch = new RoomWatch(engines, crowd::trials, tally);
    private final String room;

    /// Opens the room and sends visitors.
    RoomRun(String room) {
      this.room = room;
      if (!crowd.open(room, room.hashCode())) {
        throw new IllegalStateException("no server answers");
      }
    }

    /// Waits until all visitors have been inside or have left, and compares. With a fault they may
    /// never come to an end.
    InvariantResults judge(boolean ends) {
      judgePast();
      boolean _ = Waiting.holds(ends ? PATIENCE : ROOM, () -> crowd.inside() == 0);
      crowd.goHome();
      boolean _ = Waiting.holds(PATIENCE, () -> crowd.inside() == 0);
      watch.close();
      new RoomCheck(stage.runLog(), watch, tally).check(crowd.trials());
      return tally;
    }

    /// A room of its own with the same fault.
    private void judgePast() {
      try {
        if (!new PastRoomCheck(engines, crowd, tally).check(room + "-past")) {
          throw new IllegalStateException("no server answers");
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      crowd.close();
      watch.close();
    }
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  @Override
  public void close() throws TimeoutException {
    stage.close();
    gateway.close();
    engines.close();
    var _ = vertx.close().await(60, TimeUnit.SECONDS);
  }
}
