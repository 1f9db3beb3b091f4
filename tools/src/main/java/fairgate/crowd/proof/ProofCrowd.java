package fairgate.crowd.proof;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.CrowdClient;
import io.vertx.core.Vertx;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/// The buyers of sales, and the operator. All replies are in the journal.
public final class ProofCrowd implements AutoCloseable {
  private static final int CONNECTIONS = 200;

  private final CrowdClient http;
  private final Journal journal;
  private final NodePorts doors;
  private final Operator operator;
  private final Gateway gateway;
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger waves = new AtomicInteger();
  private volatile int home;

  /// @param operatorToken bearer token of the server's operator
  public ProofCrowd(
      Vertx vertx, NodePorts doors, Gateway gateway, Journal journal, String operatorToken) {
    this.http = new CrowdClient(vertx, CONNECTIONS);
    this.journal = journal;
    this.doors = doors;
    this.operator = new Operator(doors, new Visitor(http, journal, "operator"), operatorToken);
    this.gateway = gateway;
  }

  /// Sends buyers to a sale; returns at once. The same seed gives the same buyers, under other
  /// names.
  ///
  /// @param millis the time over which they arrive
  public void send(SaleTerms sale, int people, long millis, long seed) {
    send(sale, people, millis, seed, (shared, name, own) -> shopper(shared, sale, name, own).run());
  }

  /// Sends people who register on the waiting list of a sale once it is sold out; returns at once.
  /// Each is followed by a plain buyer who joins after the registration.
  ///
  /// @param millis the time over which they arrive
  public void register(SaleTerms sale, int people, long millis, long seed) {
    send(
        sale,
        people,
        millis,
        seed,
        (shared, name, own) -> {
          if (shopper(shared, sale, name, own).registers()) {
            boolean _ = shopper(shared, sale, name + ".later", own).buys();
          }
        });
  }

  /// What one person does.
  @FunctionalInterface
  private interface Visit {
    void go(Shopper.Shared shared, String name, RandomGenerator chance);
  }

  private void send(SaleTerms sale, int people, long millis, long seed, Visit visit) {
    RandomGenerator chance = generator(seed);
    int wave = waves.getAndIncrement();
    var shared = new Shopper.Shared(doors, gateway, operator, () -> wave < home);
    for (int i = 0; i < people; i++) {
      String name = sale.product() + "." + wave + "." + i;
      RandomGenerator own = generator(chance.nextLong());
      long after = millis <= 0 ? 0 : Math.floorMod(own.nextLong(), millis);
      inside.incrementAndGet();
      Thread _ =
          Thread.ofVirtual()
              .name("shopper-" + name)
              .start(
                  () -> {
                    try {
                      Callbacks.rest(after);
                      visit.go(shared, name, own);
                    } finally {
                      inside.decrementAndGet();
                    }
                  });
    }
  }

  private Shopper shopper(
      Shopper.Shared shared, SaleTerms sale, String name, RandomGenerator chance) {
    return new Shopper(shared, sale, new Visitor(http, journal, name), name, chance);
  }

  /// Has one plain person buy; whether it worked.
  public boolean buys(SaleTerms sale, long seed) {
    String name = sale.product() + ".last." + inside.get();
    // Others may have been sent home.
    var late = new Shopper.Shared(doors, gateway, operator, () -> false);
    return shopper(late, sale, name, generator(seed)).buys();
  }

  /// A buyer without pauses.
  public ImpatientBuyer hasty(SaleTerms sale) {
    String name = sale.product() + ".hasty";
    return new ImpatientBuyer(
        doors, new Visitor(http, journal, name), sale, name, generator(name.hashCode()));
  }

  private static RandomGenerator generator(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /// One call of the operator, at any node; its answer may be unknown.
  ///
  /// @param path after `/api/admin`
  public Answer admin(String path, @Nullable ObjectNode body) {
    return operator.call(path, body);
  }

  /// Gives the buyers of a product tickets; the answer may be unknown.
  public Answer giveTickets(String product) {
    return operator.giveTickets(product);
  }

  /// How many people are still at it.
  public int inside() {
    return inside.get();
  }

  /// All buyers give up their places at their next step.
  public void goHome() {
    home = waves.get();
  }

  @Override
  public void close() {
    goHome();
    http.close();
  }
}
