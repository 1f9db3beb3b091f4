package fairgate.gate;

import static fairgate.platform.http.RouteLimits.READ;

import fairgate.gate.challenge.ChallengeProvider;
import fairgate.gate.challenge.SliderChallenge;
import fairgate.kernel.ProductId;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;

/// Routes with the challenge that a page needs before it may join.
///
/// @param sparing whether the sender of a request may join a sale without a challenge
record ChallengeRoutes(
    ChallengeProvider challenge,
    SliderChallenge slider,
    BiFunction<Request, ProductId, Future<Boolean>> sparing) {
  private static final String NONE = JsonText.object().put("provider", "none").toString();

  List<Route> routes() {
    return List.of(
        Route.get("/api/challenge/config", _ -> Future.succeededFuture(settings())).limits(READ),
        Route.get("/api/challenge", this::offer).limits(READ));
  }

  private Reply settings() {
    return Reply.json(200, challenge.settings());
  }

  /// The challenge is bound to the browser. One without a cookie gets its cookie with this reply.
  /// Without a `level`, the sender may be told that it needs none.
  private Future<Reply> offer(Request request) {
    String action = request.query("action");
    return switch (action) {
      case null -> offerForJoining(request);
      case ChallengeProvider.Context.JOIN -> offerForJoining(request);
      case ChallengeProvider.Context.LINK, ChallengeProvider.Context.RESET ->
          Future.succeededFuture(offerFor(action, request));
      default -> throw new InvalidRequest("action", "not_one_of", "join, link, reset");
    };
  }

  private Reply offerFor(String action, Request request) {
    return Reply.json(
        200,
        challenge.offer(
            ChallengeProvider.Context.of(action, request.clientAddress(), request.device())));
  }

  private Future<Reply> offerForJoining(Request request) {
    String product = request.query("product_id");
    if (product == null) {
      throw new InvalidRequest("product_id", "missing");
    }
    if (!ProductId.isValid(product)) {
      throw new InvalidRequest("product_id", "product_id");
    }
    ProductId id = new ProductId(product);
    ChallengeProvider.Context context =
        ChallengeProvider.Context.join(id, request.clientAddress(), request.device());
    String level = request.query("level");
    return switch (level) {
      case null ->
          sparing
              .apply(request, id)
              .map(spared -> Reply.json(200, spared ? NONE : challenge.offer(context)));
      case "usual" -> Future.succeededFuture(Reply.json(200, challenge.offer(context)));
      case "harder" -> Future.succeededFuture(Reply.json(200, challenge.offer(context.asHarder())));
      case "slider" -> slider.draw(context).map(picture -> Reply.json(200, picture));
      default -> throw new InvalidRequest("level", "not_one_of", "usual, harder, slider");
    };
  }
}
