package fairgate.prove;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.proof.ProofCrowd;
import fairgate.crowd.proof.Terms;
import fairgate.prove.stage.Waiting;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// One sale after the other, of three kinds: with tokens and payments, a plain queue, and units in
/// planned batches.
final class Sales {
  private static final int PEOPLE = 80;
  private static final int UNITS = 60;
  private static final int TRIES = 60;
  private static final int CONFLICT = 409;
  private static final long PAY_MS = 4_000;

  private final ProofCrowd crowd;
  private final Clock clock;
  private final RandomGenerator chance;
  private final List<Terms> all = new CopyOnWriteArrayList<>();

  Sales(ProofCrowd crowd, Clock clock, RandomGenerator chance) {
    this.crowd = crowd;
    this.clock = clock;
    this.chance = chance;
  }

  List<Terms> all() {
    return List.copyOf(all);
  }

  List<String> products() {
    return all.stream().map(Terms::product).toList();
  }

  /// Creates the next sale, opens it, and sends people; false when nobody answers the operator.
  boolean next() {
    int number = all.size() + 1;
    String product = Integer.toString(number);
    Kind kind = Kind.values()[number % Kind.values().length];
    if (!insist("/products", product(product, kind))) {
      return false;
    }
    boolean pays = kind != Kind.QUEUE;
    Terms terms = new Terms(product, 2, pays, pays ? PAY_MS : 0);
    all.add(terms);
    crowd.send(terms, PEOPLE, 4_000, chance.nextLong());
    return kind == Kind.BATCHES || insist("/products/" + product + "/open", null);
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
    product.set("policy", policy(kind));
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
            .put("presence_timeout_seconds", 8)
            .put("unpaid_cooldown_seconds", 1);
    if (kind == Kind.QUEUE) {
      return policy.put("active_capacity", 14).put("ready_slots", 6);
    }
    policy
        .put("active_capacity", 30)
        .put("admit_per_second", 40)
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

  /// Asks until somebody says yes. Whoever says that it is there already says yes as well: the
  /// answer to an earlier try was lost.
  private boolean insist(String path, @Nullable ObjectNode body) {
    for (int i = 0; i < TRIES; i++) {
      Answer answer = crowd.admin(path, body);
      if (answer.status() / 100 == 2 || answer.status() == CONFLICT) {
        return true;
      }
      if (!answer.unknown() && answer.status() < 500) {
        throw new IllegalStateException("the operator was refused " + path + ": " + answer);
      }
      Waiting.rest(250);
    }
    return false;
  }
}
