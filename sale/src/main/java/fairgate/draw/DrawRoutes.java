package fairgate.draw;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.JOIN;
import static fairgate.platform.http.RouteLimits.READ;

import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.draw.PostgresEntries.Entry;
import fairgate.draw.PostgresOffers.Offer;
import fairgate.draw.lots.Lots;
import fairgate.draw.tlog.TlogProof;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.SessionId;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SessionOf;
import fairgate.platform.json.JsonText;
import fairgate.platform.run.BlockingWork;
import fairgate.queue.QueueService;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;

/// Serves draws to buyers.
record DrawRoutes(
    Draws draws,
    DrawEntries entries,
    DrawFeature.Stores stores,
    DrawKeys keys,
    Catalog catalog,
    Buyers buyers) {
  private static final int LONGEST_TOKEN = 4_096;

  /// Time after the closing in which the cookie names the entry.
  private static final Duration COOKIE_LIFE = Duration.ofDays(30);

  List<Route> routes() {
    return List.of(
        Route.get("/api/draws", this::list).limits(READ),
        Route.get("/api/draws/{id}", this::one).limits(READ),
        Route.post("/api/draws/{id}/entries", this::enter).limits(JOIN),
        Route.get("/api/draws/{id}/entry", this::own).limits(READ.and("session")),
        Route.delete("/api/draws/{id}/entry", this::withdraw).limits(ACT),
        Route.get("/api/draws/{id}/receipt", this::receipt).limits(READ.and("session")));
  }

  private Future<Reply> list(Request request) {
    return done(Reply.json(200, DrawList.page(draws, request).bytes()).compressible());
  }

  private Future<Reply> one(Request request) {
    return done(
        find(request)
            .map(draw -> Reply.json(200, DrawJson.full(draw, draws.now()).bytes()).compressible())
            .orElseGet(() -> refusal(ErrorCode.DRAW_NOT_FOUND)));
  }

  private Optional<Draw> find(Request request) {
    return draws.find(request.pathParam("id"));
  }

  private static Future<Reply> done(Reply reply) {
    return Future.succeededFuture(reply);
  }

  private static Reply refusal(ErrorCode code) {
    return Reply.refuse(Refusal.of(code));
  }

  private Future<Reply> enter(Request request) {
    Draw draw = find(request).orElse(null);
    if (draw == null) {
      return done(refusal(ErrorCode.DRAW_NOT_FOUND));
    }
    JsonBody body = request.json();
    int quantity = body.optionalInteger("quantity", 1, (int) draw.rules().qtyMax(), 1);
    String sent = body.optionalText("turnstile_token");
    String token = sent == null ? "" : sent;
    if (token.length() > LONGEST_TOKEN) {
      return done(refusal(ErrorCode.INVALID_TURNSTILE_TOKEN));
    }
    Product product = catalog.find(draw.product()).orElseThrow(DrawEntries::noSale);
    return buyers
        .check(request, draw.product(), "")
        .compose(
            check ->
                switch (check) {
                  case Buyers.Check.Failed(Refusal why) -> done(Reply.refuse(why));
                  case Buyers.Check.Passed passed ->
                      entries
                          .enter(draw, product, join(request, draw, token, passed), quantity)
                          .map(outcome -> reply(request, draw, outcome));
                });
  }

  private static QueueService.JoinRequest join(
      Request request, Draw draw, String token, Buyers.Check.Passed passed) {
    return new QueueService.JoinRequest(
        draw.product(),
        token,
        request.device(),
        SessionOf.optional(request),
        passed.user(),
        0,
        request.caller(),
        request);
  }

  private Reply reply(Request request, Draw draw, DrawEntries.Outcome outcome) {
    return switch (outcome) {
      case DrawEntries.Outcome.Refused(Refusal why) -> Reply.refuse(why);
      case DrawEntries.Outcome.Entered(Entry entry, String promise) ->
          SessionOf.remember(
              Reply.json(
                  200, entryJson(draw, entry).put("success", true).put("promise", promise).bytes()),
              request,
              entry.session(),
              window(draw).plus(COOKIE_LIFE));
    };
  }

  /// At least the time until the closing, for a draw that is open.
  private static Duration window(Draw draw) {
    return Duration.ofSeconds(draw.rules().close() - draw.rules().open().orElse(0));
  }

  private JsonText entryJson(Draw draw, Entry entry) {
    JsonText json =
        JsonText.object()
            .put("draw", draw.id())
            .put("state", draw.state().word())
            .put("session_id", entry.session().value())
            .put("index", entry.index())
            .put("leaf", entry.leaf().hex())
            .put("quantity", entry.quantity())
            .put("person", entries.person(entry))
            .put("salt", Base64.getEncoder().encodeToString(entries.salt(entry)));
    entry.absence().ifPresent(kind -> json.put("absence", kind));
    return json;
  }

  /// The first entry in this draw of the sessions that the request names.
  private Future<Optional<Entry>> entryOf(Request request, Draw draw) {
    return entryOf(draw, SessionOf.all(request), 0);
  }

  private Future<Optional<Entry>> entryOf(Draw draw, List<SessionId> sessions, int from) {
    if (from == sessions.size()) {
      return Future.succeededFuture(Optional.empty());
    }
    return entries
        .own(draw, sessions.get(from))
        .compose(
            found ->
                found.isPresent()
                    ? Future.succeededFuture(found)
                    : entryOf(draw, sessions, from + 1));
  }

  /// The reply for the caller's entry in the named draw; a refusal when there is no such draw or
  /// entry.
  private Future<Reply> withEntry(
      Request request, BiFunction<Draw, Entry, Future<Reply>> replyFor) {
    Draw draw = find(request).orElse(null);
    if (draw == null) {
      return done(refusal(ErrorCode.DRAW_NOT_FOUND));
    }
    return entryOf(request, draw)
        .compose(
            found ->
                found
                    .map(entry -> replyFor.apply(draw, entry))
                    .orElseGet(() -> done(refusal(ErrorCode.ENTRY_NOT_FOUND))));
  }

  private Future<Reply> own(Request request) {
    return withEntry(request, this::place);
  }

  /// The entry with its lot, its rank and its offer, as far as they are known.
  private Future<Reply> place(Draw draw, Entry entry) {
    JsonText json = entryJson(draw, entry);
    if (draw.result().isEmpty()) {
      return done(Reply.json(200, json.bytes()));
    }
    DrawJson.seed(draw).ifPresent(seed -> json.put("lot", new Lots(seed).lot(entry.leaf()).hex()));
    Future<OptionalLong> rank = stores.results().rank(draw.id(), entry.index());
    Future<Optional<Offer>> offer = stores.offers().own(draw.id(), entry.index());
    return Future.all(rank, offer)
        .map(
            _ -> {
              rank.result().ifPresent(it -> json.put("rank", it));
              offer.result().ifPresent(it -> json.put("offer", offerJson(it)));
              return Reply.json(200, json.bytes());
            });
  }

  private static JsonText offerJson(Offer offer) {
    JsonText json = JsonText.object().put("status", offer.status());
    if (offer.claimUntil() > 0) {
      json.put("claim_until", Instant.ofEpochMilli(offer.claimUntil()).toString());
    }
    if (offer.bought() >= 0) {
      json.put("bought", offer.bought()).put("passed", offer.passed());
    }
    return json;
  }

  private Future<Reply> withdraw(Request request) {
    return withEntry(
        request,
        (draw, entry) ->
            entries
                .withdraw(draw, entry)
                .map(refusal -> refusal == null ? Reply.noContent() : Reply.refuse(refusal)));
  }

  /// The receipt of the entry, from the next signed tree head on: within a second or two.
  private Future<Reply> receipt(Request request) {
    return withEntry(
        request, (draw, entry) -> BlockingWork.call("draw-receipt", () -> receipt(draw, entry)));
  }

  private Reply receipt(Draw draw, Entry entry) {
    Optional<TlogProof> proof =
        stores.logs().proof(keys.entriesOrigin(draw.id()), entry.index(), entries.salt(entry));
    return proof
        .map(
            it ->
                Reply.text(200, it.text())
                    .header(
                        "content-disposition",
                        "attachment; filename=\"" + draw.id() + ".tlog-proof\""))
        .orElseGet(
            () ->
                Reply.refuse(
                    Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(Duration.ofSeconds(1))));
  }
}
