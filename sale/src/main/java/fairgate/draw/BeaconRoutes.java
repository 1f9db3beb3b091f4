package fairgate.draw;

import static fairgate.platform.http.RouteLimits.ACT;

import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;

/// Takes beacon rounds from anybody.
final class BeaconRoutes {
  private final Draws draws;
  private final SubmittedRounds rounds;

  /// Callers with the same round and signature share one submission.
  private final SharedCalls<SubmittedRounds.Outcome> submissions = new SharedCalls<>();

  BeaconRoutes(Draws draws, SubmittedRounds rounds) {
    this.draws = draws;
    this.rounds = rounds;
  }

  List<Route> routes() {
    return List.of(
        Route.blockingPost("/api/beacons/{chain}", this::ofChain).limits(ACT),
        Route.blockingPost("/api/draws/{id}/beacon", this::ofDraw).limits(ACT),
        Route.blockingPost("/draws/{id}/beacon", this::ofDraw)
            .doing(Method.POST, "/api/draws/{id}/beacon"));
  }

  private Reply ofChain(Request request) {
    String chain = request.pathParam("chain");
    BeaconRound round = new BeaconRound(chain, round(request.json()));
    byte[] signature = signature(request.json());
    return verified(chain, request, () -> rounds.submit(round, signature));
  }

  private Reply ofDraw(Request request) {
    Draw draw = draws.find(request.pathParam("id")).orElse(null);
    if (draw == null) {
      return refusal(ErrorCode.DRAW_NOT_FOUND);
    }
    long round = round(request.json());
    byte[] signature = signature(request.json());
    return verified(
        draw.beaconRound().chain(), request, () -> rounds.submit(draw, round, signature));
  }

  private static long round(JsonBody body) {
    return body.longInteger("round", 1, Long.MAX_VALUE);
  }

  private static byte[] signature(JsonBody body) {
    String hex = body.text("signature");
    int digits = 2 * HouseLeaf.Beacon.SIGNATURE_LENGTH;
    if (!hex.matches("[0-9a-f]{" + digits + "}")) {
      throw body.problem("signature", "not_hex", digits);
    }
    return HexFormat.of().parseHex(hex);
  }

  private Reply verified(
      String chain, Request request, Supplier<SubmittedRounds.Outcome> submission) {
    JsonBody body = request.json();
    String key = request.path() + ' ' + round(body) + ' ' + body.text("signature");
    return switch (submissions.get(key, submission)) {
      case ACCEPTED, KNOWN -> Reply.noContent();
      case WRONG -> refusal(ErrorCode.INVALID_BEACON);
      case NOT_NOW ->
          Reply.refuse(
              Refusal.of(ErrorCode.DRAW_STATE_CONFLICT).with("awaited", rounds.awaited(chain)));
      case UNKNOWN_CHAIN ->
          Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND).with("chains", rounds.chains()));
    };
  }

  private static Reply refusal(ErrorCode code) {
    return Reply.refuse(Refusal.of(code));
  }
}
