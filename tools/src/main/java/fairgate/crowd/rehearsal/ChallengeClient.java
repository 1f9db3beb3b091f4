package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.crowd.AltchaSolver;
import fairgate.crowd.Answer;
import fairgate.crowd.CrowdClient;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.Executor;

/// The challenge of the server, from a visitor's side: `test` takes a known token, `altcha` is
/// really solved (ALTCHA v2, SHA-256). Other challenges require a person, so no visitor passes
/// them.
final class ChallengeClient {
  /// The price of a proof at the default cost: 65,536 tries of 16 hashes.
  static final long DEFAULT_HASHES = 65_536 * 16;

  private static final int HARDER_FACTOR = 4;

  private final Vertx vertx;
  private final Executor solvers;
  private final String provider;
  private final String product;

  /// @param solvers where proofs are worked out; its size bounds the load on this machine
  ChallengeClient(Vertx vertx, Executor solvers, String provider, String product) {
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

  /// A token for one attempt to join.
  ///
  /// @param token empty when the server gave no challenge
  /// @param hashes the expected work for it
  /// @param simulated whether this machine did not do the work
  record Proof(String token, long hashes, boolean simulated) {}

  /// A token for one attempt to join; empty when the server gave no challenge.
  Future<String> token(Browser browser) {
    return proof(browser).map(Proof::token);
  }

  /// The same with its price.
  Future<Proof> proof(Browser browser) {
    return proof(browser, "", 1);
  }

  /// The proof of work that stands in for a step.
  Future<Proof> harder(Browser browser) {
    return proof(browser, "&level=harder", HARDER_FACTOR);
  }

  private Future<Proof> proof(Browser browser, String level, int factor) {
    String path = "/api/challenge?product_id=" + product + level;
    if (!solves()) {
      Proof proof = new Proof(CrowdClient.TEST_TOKEN, factor * DEFAULT_HASHES, true);
      // The page asks for any challenge, and gets its cookie with it.
      return browser.keepsCookies()
          ? browser.get(Call.CHALLENGE, path, Map.of()).map(_ -> proof)
          : Future.succeededFuture(proof);
    }
    return browser
        .get(Call.CHALLENGE, path, Map.of())
        .compose(
            answer ->
                answer.ok()
                    ? solved(answer).map(token -> new Proof(token, hashes(answer), false))
                    : Future.succeededFuture(new Proof("", 0, false)));
  }

  /// One key in 16 to the power of the prefix' length fits, and each try costs that many hashes.
  private static long hashes(Answer challenge) {
    JsonNode parameters = challenge.body().path("parameters");
    int digits = parameters.path("keyPrefix").asText().length();
    return (1L << (4 * digits)) * parameters.path("cost").asLong(1);
  }

  private Future<String> solved(Answer challenge) {
    Promise<String> promise = Promise.promise();
    var home = vertx.getOrCreateContext();
    solvers.execute(
        () -> {
          String token = AltchaSolver.solve(challenge.body());
          home.runOnContext(_ -> promise.complete(token));
        });
    return promise.future();
  }
}
