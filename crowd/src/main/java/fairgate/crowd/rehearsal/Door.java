package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import fairgate.crowd.Answer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.Executor;

/// The challenge at the server's door, as a visitor meets it: `test` takes a known token, `altcha`
/// is really solved (ALTCHA v2, SHA-256). Other doors ask for a person, so nobody gets in.
final class Door {
  private static final String TEST_TOKEN = "XXXX.DUMMY.TOKEN.XXXX";
  private static final long LAST_COUNTER = 0xffff_ffffL;

  private final Vertx vertx;
  private final Executor solvers;
  private final String provider;
  private final String product;

  /// @param solvers where proofs are worked out; its size bounds the load on this machine
  Door(Vertx vertx, Executor solvers, String provider, String product) {
    this.vertx = vertx;
    this.solvers = solvers;
    this.provider = provider;
    this.product = product;
  }

  String provider() {
    return provider;
  }

  /// Whether proofs are really worked out.
  boolean solves() {
    return "altcha".equals(provider);
  }

  /// A token for one attempt to join; empty when the server gave no challenge.
  Future<String> token(Browser browser) {
    if (!solves()) {
      return Future.succeededFuture(TEST_TOKEN);
    }
    return browser
        .get(Call.CHALLENGE, "/api/challenge?product_id=" + product, Map.of())
        .compose(answer -> answer.ok() ? solved(answer) : Future.succeededFuture(""));
  }

  private Future<String> solved(Answer challenge) {
    Promise<String> promise = Promise.promise();
    var home = vertx.getOrCreateContext();
    solvers.execute(
        () -> {
          String token = solve(challenge.body());
          home.runOnContext(_ -> promise.complete(token));
        });
    return promise.future();
  }

  private static String solve(JsonNode challenge) {
    JsonNode parameters = challenge.path("parameters");
    String prefix = parameters.path("keyPrefix").asText();
    String fixed = parameters.path("salt").asText() + parameters.path("nonce").asText();
    int cost = parameters.path("cost").asInt(1);
    for (long counter = 0; counter <= LAST_COUNTER; counter++) {
      byte[] key = HexFormat.of().parseHex(fixed + "%08x".formatted(counter));
      for (int i = 0; i < cost; i++) {
        key = sha256(key);
      }
      String derived = HexFormat.of().formatHex(key);
      if (derived.startsWith(prefix)) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        var payload = json.objectNode();
        payload.set("challenge", challenge);
        payload.set(
            "solution", json.objectNode().put("counter", counter).put("derivedKey", derived));
        return Base64.getEncoder()
            .encodeToString(payload.toString().getBytes(StandardCharsets.UTF_8));
      }
    }
    return "";
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
