package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.ShopClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The server on which a rehearsal or the attack zoo runs. For the zoo it has to trust this machine
/// as a proxy, because each person has an address by `X-Forwarded-For`.
///
/// @param codes the file with the one-time codes of the development verifier; empty if this machine
///   cannot read it
public record ZooServer(Target target, Optional<Path> codes) {
  private static final long CALL_MS = 20_000;
  private static final int ALLOWED_SECONDS = 600;

  /// Whether it was started for the zoo.
  boolean isOwn() {
    return codes.isPresent();
  }

  ShopClient operator(Vertx vertx) {
    return new ShopClient(vertx, target.host(), target.port(), 4, CALL_MS, target.tls());
  }

  /// The challenge. Throws IllegalStateException if simulated people cannot pass it.
  String provider(ShopClient operator) {
    String provider = await(operator.get("/api/challenge/config")).text("provider");
    if (!"test".equals(provider) && !"altcha".equals(provider)) {
      throw new IllegalStateException(
          "The challenge of "
              + target
              + " is `"
              + provider
              + "`; a rehearsal needs `test` or `altcha`.");
    }
    return provider;
  }

  /// The fields of a policy that the server knows. Creates a product that is never opened.
  Set<String> policyFields(ShopClient operator) {
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", Long.toString(System.currentTimeMillis()))
            .put("name", "Attack zoo")
            .put("image_url", "")
            .put("price", 100)
            .put("total_stock", 1);
    Set<String> fields = new HashSet<>();
    create(operator, body).body().path("policy").fieldNames().forEachRemaining(fields::add);
    return fields;
  }

  Answer create(ShopClient operator, ObjectNode product) {
    Answer made =
        await(operator.admin("POST", "/api/admin/products", target.operatorToken(), product));
    if (made.status() != 201) {
      throw new IllegalStateException(
          target
              + " did not create a sale: "
              + (made.unknown() ? "no answer" : made.status() + " " + made.body())
              + ". The operator token has to be that of the server.");
    }
    return made;
  }

  /// Puts an address on the allow-list. Returns the number of the entry.
  long allow(ShopClient operator, String address) {
    ObjectNode entry =
        JsonNodeFactory.instance
            .objectNode()
            .put("kind", "ip")
            .put("value", address)
            .put("effect", "allow")
            .put("reason", "rehearsal: many people share this address")
            .put("duration_seconds", ALLOWED_SECONDS);
    Answer made = await(operator.admin("POST", "/api/admin/bans", target.operatorToken(), entry));
    if (made.status() != 200 && made.status() != 201) {
      throw new IllegalStateException(
          target + " did not allow-list " + address + ": " + made.status() + " " + made.body());
    }
    return made.body().path("id").asLong();
  }

  /// Removes the entry.
  void endAllowance(ShopClient operator, long entry) {
    Answer _ = admin(operator, "DELETE", "/bans/" + entry);
  }

  Answer admin(ShopClient operator, String method, String path) {
    return await(operator.admin(method, "/api/admin" + path, target.operatorToken(), null));
  }

  static Answer await(Future<Answer> answer) {
    try {
      return answer.await(2 * CALL_MS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the server does not answer", e);
    }
  }
}
