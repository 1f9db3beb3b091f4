package fairgate.prove;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.proof.ProofCrowd;
import fairgate.crowd.proof.SaleTerms;
import fairgate.prove.environment.OperatorCall;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// One sale after the other, of three kinds: with tokens and payments, a plain queue, and units in
/// planned batches; beside them one that is announced a month ahead, in which people wait.
final class Sales {
  private static final int PEOPLE = 80;
  private static final int UNITS = 60;
  private static final int REFILL = 10;
  private static final int EARLY_BIRDS = 12;

  /// People who want what comes back after the sale is sold out.
  private static final int ON_THE_LIST = 4;

  private static final Duration MONTH = Duration.ofDays(30);
  private static final long PAY_MS = 4_000;

  /// Every second sale of its kind asks for a deposit.
  private static final int DEPOSIT_EVERY = 2;

  private final ProofCrowd crowd;
  private final Clock clock;
  private final RandomGenerator chance;
  private final Retry retry;
  private final List<SaleTerms> all = new CopyOnWriteArrayList<>();
  private volatile @Nullable SaleTerms announced;

  /// How the operator asks again.
  ///
  /// @param limit from the first call on; a call that runs then is the last one
  /// @param pause between two calls
  record Retry(Duration limit, Duration pause) {
    /// Longer than any fault keeps all servers unavailable. The longest is `blackout`: 20 s without
    /// a server, and a start of all of them at once, which is slow on a busy machine.
    static final Retry THROUGH_FAULTS =
        new Retry(FaultInjector.DRIVE_LIMIT, Duration.ofMillis(250));
  }

  Sales(ProofCrowd crowd, Clock clock, RandomGenerator chance, Retry retry) {
    this.retry = retry;
    this.crowd = crowd;
    this.clock = clock;
    this.chance = chance;
  }

  List<SaleTerms> all() {
    return List.copyOf(all);
  }

  List<String> products() {
    return all.stream().map(SaleTerms::product).toList();
  }

  /// The sales that are on, oldest first.
  List<String> on() {
    return all.stream().filter(terms -> !terms.equals(announced)).map(SaleTerms::product).toList();
  }

  /// Creates a sale that opens in a month, and sends buyers who join and wait; false if no server
  /// answers the operator.
  boolean announce() {
    String product = Integer.toString(all.size() + 1);
    ObjectNode body = product(product, Kind.QUEUE);
    String opens = clock.instant().plus(MONTH).toString();
    body.withObject("policy").put("opens_at", opens);
    if (!insist("/products", body)) {
      return false;
    }
    announced = new SaleTerms(product, 2, false, 0, false);
    all.add(announced);
    crowd.send(announced, EARLY_BIRDS, 2_000, chance.nextLong());
    return true;
  }

  /// Creates the next sale, opens it, and sends buyers; false if no server answers the operator.
  boolean next() {
    int number = all.size() + 1;
    String product = Integer.toString(number);
    Kind kind = Kind.values()[number % Kind.values().length];
    if (!insist("/products", product(product, kind))) {
      return false;
    }
    boolean pays = kind != Kind.QUEUE;
    boolean tickets = !pays && crowd.giveTickets(product).ok();
    SaleTerms terms = new SaleTerms(product, 2, pays, pays ? PAY_MS : 0, tickets);
    all.add(terms);
    crowd.send(terms, PEOPLE, 4_000, chance.nextLong());
    if (pays) {
      crowd.register(terms, ON_THE_LIST, 6_000, chance.nextLong());
    }
    return kind == Kind.BATCHES || insist("/products/" + product + "/open", null);
  }

  /// Adds units to the newest sale.
  void refill() {
    SaleTerms newest = all.getLast();
    ObjectNode batch =
        JsonNodeFactory.instance.objectNode().put("quantity", REFILL).put("key", "last-units");
    boolean _ = insist("/products/" + newest.product() + "/stock", batch);
  }

  private enum Kind {
    BATCHES,
    FLASH,
    QUEUE
  }

  private ObjectNode product(String id, Kind kind) {
    ObjectNode product =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", id)
            .put("name", "Proof " + id)
            .put("image_url", "")
            .put("price", 100)
            .put("total_stock", UNITS);
    ObjectNode policy = policy(kind);
    if (kind == Kind.FLASH && Integer.parseInt(id) % DEPOSIT_EVERY == 0) {
      policy.putObject("deposit").put("percent", 20).put("passed", "kept");
    }
    product.set("policy", policy);
    return product;
  }

  private ObjectNode policy(Kind kind) {
    ObjectNode policy =
        JsonNodeFactory.instance
            .objectNode()
            .put("preset", kind == Kind.QUEUE ? "queue" : "flash")
            .put("max_quantity", 2)
            .put("max_per_user", 3)
            .put("max_per_device", 3)
            .put("purchase_window_seconds", 5)
            .put("presence_timeout_seconds", kind == Kind.QUEUE ? 4 : 8)
            .put("unpaid_cooldown_seconds", 1)
            // All simulated buyers have one address.
            .putNull("places_per_ip")
            .putNull("places_per_network")
            .putNull("units_per_ip");
    if (kind == Kind.QUEUE) {
      return policy.put("active_capacity", 14).put("ready_slots", 6);
    }
    policy
        .put("active_capacity", 30)
        .put("admit_per_second", 40)
        .put("show_up_seconds", 4)
        .put("token_ttl_seconds", 3)
        .put("payment_window_seconds", PAY_MS / 1_000);
    if (kind == Kind.BATCHES) {
      Instant opens = clock.instant().plusSeconds(1);
      policy.put("opens_at", opens.toString());
      var batches = policy.putArray("batches");
      for (int i = 0; i < 3; i++) {
        batches
            .addObject()
            .put("at", opens.plus(Duration.ofSeconds(2L * i)).toString())
            .put("quantity", UNITS / 3);
      }
    }
    return policy;
  }

  private boolean insist(String path, @Nullable ObjectNode body) {
    return OperatorCall.succeeds(() -> crowd.admin(path, body), retry.pause(), retry.limit());
  }
}
