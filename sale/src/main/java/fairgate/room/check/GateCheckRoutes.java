package fairgate.room.check;

import static fairgate.platform.http.RouteLimits.FREE;

import fairgate.kernel.ClientAddress;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.room.Room;
import fairgate.room.check.GateCheck.CheckOutcome;
import fairgate.room.token.RoomTokens;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// `/gate/check`, which proxies ask before they pass a request to the protected site. Envoy asks
/// with the method of that request, all others with GET.
public final class GateCheckRoutes {
  private static final String PATH = "/gate/check";

  private static final Pattern ORIGIN =
      Pattern.compile("https?://[A-Za-z0-9.-]{1,253}(:\\d{1,5})?");

  /// How long an answer waits for Redis. A browser asks this of every page, script and image.
  private static final long PATIENCE_MS = 250;

  private final RoomStates rooms;
  private final GateCheck check;
  private final Clock clock;
  private final CheckMeters meters;

  public GateCheckRoutes(RoomStates rooms, RoomTokens tokens, Clock clock, Metrics metrics) {
    this.meters = new CheckMeters(metrics);
    this.rooms = rooms;
    this.check = new GateCheck(rooms, tokens, clock);
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.get(PATH, this::answer).limits(FREE),
        Route.post(PATH, this::answer).limits(FREE).forCrossSite().withoutBody(),
        Route.put(PATH, this::answer).limits(FREE).forCrossSite().withoutBody(),
        Route.patch(PATH, this::answer).limits(FREE).forCrossSite().withoutBody(),
        Route.delete(PATH, this::answer).limits(FREE).forCrossSite().withoutBody());
  }

  private Future<Reply> answer(Request request) {
    String room = request.query("room");
    if (room == null) {
      throw new InvalidRequest("room", "missing");
    }
    String word = request.query("d");
    Optional<OriginalRequest.Dialect> dialect =
        word == null ? Optional.empty() : OriginalRequest.Dialect.of(word);
    if (dialect.isEmpty()) {
      throw new InvalidRequest("d", "not_one_of", OriginalRequest.Dialect.WORDS);
    }
    String page = configuredPage(request);
    if (!page.isEmpty() && !ORIGIN.matcher(page).matches()) {
      throw new InvalidRequest("page", "bad_format");
    }
    GateCheck.Question question = new GateCheck.Question(room, page);
    return answer(dialect.get(), outcome(question, dialect.get(), request), request.address());
  }

  /// The parameter `page`, if the proxy's configuration has it: what Envoy appends is the client's.
  private static String configuredPage(Request request) {
    String configured = OriginalRequest.configured(request.target());
    return configured.contains("page=")
        ? Objects.requireNonNullElse(request.query("page"), "")
        : "";
  }

  private Future<Reply> answer(
      OriginalRequest.Dialect dialect, CheckOutcome outcome, ClientAddress client) {
    Reply reply = CheckReplies.of(dialect, outcome, clock.instant());
    meters.count(outcome);
    if (outcome instanceof CheckOutcome.Admitted admitted && admitted.renewable()) {
      Room room = admitted.room();
      return rooms
          .renew(room, admitted.pass().claims())
          .timeout(PATIENCE_MS, TimeUnit.MILLISECONDS)
          .map(next -> next.map(pass -> CheckReplies.renewed(reply, room, pass)).orElse(reply))
          // The present pass is valid, so an outage of Redis changes nothing.
          .otherwise(reply);
    }
    if (outcome instanceof CheckOutcome.WalkIn(Room room, _)) {
      return rooms
          .walkIn(room, client)
          .timeout(PATIENCE_MS, TimeUnit.MILLISECONDS)
          .map(found -> found.map(pass -> CheckReplies.admitted(dialect, room, pass)).orElse(reply))
          .otherwise(reply);
    }
    return Future.succeededFuture(reply);
  }

  private CheckOutcome outcome(
      GateCheck.Question question, OriginalRequest.Dialect dialect, Request request) {
    if (!request.isFromTrustedProxy()) {
      return new CheckOutcome.Refused(CheckOutcome.Problem.UNTRUSTED_PROXY);
    }
    return OriginalRequest.of(dialect, request)
        .map(original -> check.check(question, original, request::cookie))
        .orElse(new CheckOutcome.Refused(CheckOutcome.Problem.BAD_ORIGINAL_REQUEST));
  }

  /// Counts the answers of `/gate/check` by outcome.
  static final class CheckMeters {
    private final Counter admitted;
    private final Counter open;
    private final Counter waiting;
    private final Counter standby;
    private final Counter refused;

    CheckMeters(Metrics metrics) {
      admitted = counter(metrics, "admitted");
      open = counter(metrics, "open");
      waiting = counter(metrics, "waiting");
      standby = counter(metrics, "standby");
      refused = counter(metrics, "refused");
    }

    private static Counter counter(Metrics metrics, String outcome) {
      return metrics.counter(
          "fairgate_gate_checks_total", "Answers to proxies by outcome", "outcome", outcome);
    }

    void count(CheckOutcome outcome) {
      switch (outcome) {
        case CheckOutcome.Admitted _ -> admitted.increment();
        case CheckOutcome.Unprotected _ -> open.increment();
        case CheckOutcome.Waiting _ -> waiting.increment();
        case CheckOutcome.WalkIn _ -> standby.increment();
        case CheckOutcome.Refused _ -> refused.increment();
      }
    }
  }
}
