package fairgate.gate;

import fairgate.gate.challenge.ChallengeContext;
import fairgate.gate.challenge.ChallengeProvider;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Device;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import io.vertx.core.Future;
import java.util.List;

/// Routes with the challenge that a page needs before it may join.
final class ChallengeRoutes {
  private final ChallengeProvider challenge;

  ChallengeRoutes(ChallengeProvider challenge) {
    this.challenge = challenge;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/challenge/config", _ -> Future.succeededFuture(settings())),
        Route.get("/api/challenge", request -> Future.succeededFuture(offer(request))));
  }

  private Reply settings() {
    return Reply.json(200, challenge.settings());
  }

  /// For a browser without a cookie, the challenge is bound to no device, and the reply sets the
  /// cookie.
  private Reply offer(Request request) {
    String product = request.query("product_id");
    if (product == null) {
      throw new InvalidRequest("product_id", "missing");
    }
    if (!ProductId.isValid(product)) {
      throw new InvalidRequest("product_id", "product_id");
    }
    Device device = request.device();
    return Reply.json(
        200,
        challenge.offer(
            ChallengeContext.join(
                new ProductId(product),
                request.clientAddress(),
                device.fresh() ? null : device.id())));
  }
}
