package fairgate.crowd.rehearsal;

import fairgate.crowd.AltchaSolver;
import fairgate.crowd.Answer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.Executor;

/// The challenge of the server, from a visitor's side: `test` takes a known token, `altcha` is
/// really solved (ALTCHA v2, SHA-256). Other challenges require a person, so no visitor passes
/// them.
final class ChallengeClient {
  private static final String TEST_TOKEN = "XXXX.DUMMY.TOKEN.XXXX";

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
          String token = AltchaSolver.solve(challenge.body());
          home.runOnContext(_ -> promise.complete(token));
        });
    return promise.future();
  }
}
