package fairgate.room;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.FREE;
import static fairgate.platform.http.RouteLimits.PAGE;
import static fairgate.platform.http.RouteLimits.READ;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Handler;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.redis.RedisClient;
import fairgate.room.RoomPlaces.TicketOutcome;
import fairgate.room.RoomService.EntryOutcome;
import fairgate.room.token.KeyBinding;
import fairgate.room.token.ReturnUrls;
import fairgate.room.token.RoomClaims;
import fairgate.room.token.RoomTokens;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// Serves `/q/{room}/...` for waiting browsers, and the room's public keys.
record RoomRoutes(
    RoomService service,
    RoomPlaces places,
    RoomLoop loop,
    RedisClient redis,
    RoomTokens tokens,
    ReturnUrls returnUrls,
    Clock clock) {
  private static final String PLACE = "x-fairgate-place";

  private static final int LONGEST_CHALLENGE = 4_096;
  private static final int LONGEST_TOKEN = 4_096;
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final String KEYS_CACHE = "public, max-age=300";

  /// Blocks at the front change often, those behind are looked at rarely.
  private static final String NEAR_CACHE = "public, s-maxage=5, stale-while-revalidate=5";

  private static final String FAR_CACHE = "public, s-maxage=60, stale-while-revalidate=30";
  private static final long TILE_MS = 1_000;

  List<Route> routes() {
    return List.of(
        Route.get("/q/{room}/head", inRoom((room, _) -> head(room))).limits(FREE).forAnyOrigin(),
        Route.get("/q/{room}/gone/{epoch}/{block}", inRoom(this::gone)).limits(FREE).forAnyOrigin(),
        Route.post("/q/{room}/join", inRoom(this::join)).limits(ACT.and("join")),
        Route.post("/q/{room}/here", inRoom(this::here)).limits(READ.ticketed(this::ticket)),
        Route.post("/q/{room}/leave", inRoom(this::leave)).limits(ACT.ticketed(this::ticket)),
        Route.post("/q/{room}/enter", inRoom(this::enter)).limits(ACT.ticketed(this::ticket)),
        Route.get("/q/{room}/pass", inRoom(this::pass)).limits(PAGE.ticketed(this::ticket)),
        Route.post("/q/{room}/release", inRoom(this::release)).limits(ACT),
        Route.get("/.well-known/fairgate/{room}/jwks.json", inRoom((room, _) -> jwks(room)))
            .limits(FREE)
            .forAnyOrigin());
  }

  private Handler inRoom(BiFunction<Room, Request, Future<Reply>> handler) {
    return request ->
        service
            .room(request.pathParam("room"))
            .map(room -> handler.apply(room, request))
            .orElseGet(() -> refuse(ErrorCode.ROOM_NOT_FOUND));
  }

  /// The ticket by which a call is counted, before its body is read and before any signature is
  /// verified; empty when it carries neither a turn nor a place token of the room, in a header or a
  /// cookie. Asks no server.
  private Optional<String> ticket(Request request) {
    return service.room(request.pathParam("room")).flatMap(room -> ticket(room, request));
  }

  private Optional<String> ticket(Room room, Request request) {
    String turn = request.query("turn");
    if (turn != null) {
      return places.countedTicket(room, RoomTokens.Type.TURN, turn);
    }
    String header = request.header(PLACE);
    String place = header == null ? request.cookie(RoomPlaces.placeCookie(room.id())) : header;
    return place == null
        ? Optional.empty()
        : places.countedTicket(room, RoomTokens.Type.PLACE, place);
  }

  /// The same bytes for everybody: reads no cookie, sets none.
  private Future<Reply> head(Room room) {
    Reply head = loop.node(room.id()).head();
    return Future.succeededFuture(
        head == null
            ? Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON))
            : head);
  }

  private Future<Reply> gone(Room room, Request request) {
    long epoch = number(request, "epoch");
    long block = number(request, "block");
    RoomNode node = loop.node(room.id());
    AdvanceRoomScript.Run.Moved moved = node.moved();
    if (moved == null) {
      return Future.succeededFuture(
          Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON)));
    }
    if (epoch != room.epoch() || block * GoneTickets.BLOCK >= Math.max(1, moved.tickets())) {
      return refuse(ErrorCode.NOT_FOUND);
    }
    RoomNode.Tile kept = node.tiles().getIfPresent(block);
    if (kept != null && clock.millis() - kept.readAt() < TILE_MS) {
      return Future.succeededFuture(kept.reply());
    }
    Future<GoneTickets> read =
        block < moved.oldest() / GoneTickets.BLOCK
            ? Future.succeededFuture(GoneTickets.all())
            : GoneTickets.read(redis, new RoomStateKeys(room.id()), block);
    return read.map(
            tickets -> {
              boolean near = block <= moved.cursor() / GoneTickets.BLOCK + 1;
              Reply reply =
                  Reply.bytes(200, "application/octet-stream", tickets.bytes())
                      .header("cache-control", near ? NEAR_CACHE : FAR_CACHE);
              node.tiles().put(block, new RoomNode.Tile(reply, clock.millis()));
              return reply;
            })
        .recover(
            failure ->
                kept == null ? Future.failedFuture(failure) : Future.succeededFuture(kept.reply()));
  }

  private Future<Reply> join(Room room, Request request) {
    JsonBody body = request.json();
    String challenge = body.optionalText("turnstile_token");
    String solution = challenge == null || challenge.length() > LONGEST_CHALLENGE ? "" : challenge;
    return places
        .take(
            new RoomPlaces.TicketRequest(
                room,
                solution,
                request.device(),
                binding(body),
                request.clientAddress(),
                request.caller()))
        .map(
            outcome ->
                switch (outcome) {
                  case TicketOutcome.Refused(Refusal refusal) -> Reply.refuse(refusal);
                  case TicketOutcome.Given given ->
                      Reply.json(
                          200,
                          JsonText.object()
                              .put("place", given.place())
                              .put("ticket", given.ticket())
                              .put("epoch", given.epoch())
                              .put("fresh", given.fresh())
                              .bytes());
                });
  }

  private static KeyBinding binding(JsonBody body) {
    for (KeyBinding.Kind kind : KeyBinding.Kind.values()) {
      String value = body.optionalText(kind.member());
      if (value != null) {
        if (!KeyBinding.isHash(value)) {
          throw new InvalidRequest(kind.member(), "bad_format");
        }
        return new KeyBinding(kind, value);
      }
    }
    throw new InvalidRequest(
        KeyBinding.Kind.KEY.member(), "missing_one", KeyBinding.Kind.SECRET.member());
  }

  private Future<Reply> here(Room room, Request request) {
    return places.here(room, place(request)).map(this::done);
  }

  private Future<Reply> leave(Room room, Request request) {
    return places.leave(room, possession(request)).map(this::done);
  }

  /// The place token: from the header, where the limits see it, or from the body.
  private static String place(Request request) {
    String header = request.header(PLACE);
    return header == null ? request.json().text("place", 1, LONGEST_TOKEN) : header;
  }

  private Reply done(@Nullable ErrorCode problem) {
    return problem == null ? Reply.noContent() : Reply.refuse(Refusal.of(problem));
  }

  private static RoomPlaces.Possession possession(Request request) {
    JsonBody body = request.json();
    return new RoomPlaces.Possession(
        place(request), body.optionalText("secret"), body.optionalText("proof"), request.path());
  }

  private Future<Reply> enter(Room room, Request request) {
    String signed = request.json().optionalText("return");
    Optional<String> target = target(room, signed);
    if (target.isEmpty()) {
      throw new InvalidRequest("return", "room_url");
    }
    return service
        .enter(room, possession(request))
        .map(
            outcome ->
                switch (outcome) {
                  case EntryOutcome.Refused(Refusal refusal) -> Reply.refuse(refusal);
                  case EntryOutcome.Admitted(String turn, RoomClaims _) ->
                      entered(request, returnUrls.passUrl(room.id(), target.get(), turn));
                });
  }

  /// The page follows the address itself; a form is redirected.
  private static Reply entered(Request request, String location) {
    String accept = request.header("accept");
    return accept != null && accept.contains("application/json")
        ? Reply.json(200, JsonText.object().put("location", location).bytes())
        : Reply.redirect(303, location).header("cache-control", "no-store");
  }

  /// Where the visitor goes; empty when the address is not one that was signed for the room.
  private Optional<String> target(Room room, @Nullable String signed) {
    if (signed != null && !signed.isEmpty()) {
      return returnUrls.open(room.id(), signed).filter(room::isReturnUrl);
    }
    return Optional.of(room.look().returnUrl()).filter(url -> !url.isEmpty());
  }

  private Future<Reply> pass(Room room, Request request) {
    String turn = request.query("turn");
    Optional<String> target = target(room, Objects.requireNonNullElse(request.query("to"), "-"));
    if (turn == null || target.isEmpty()) {
      return refuse(ErrorCode.INVALID_TURN);
    }
    return service
        .exchange(room, turn)
        .map(
            outcome ->
                switch (outcome) {
                  case EntryOutcome.Refused(Refusal refusal) ->
                      refusedTurn(request, refusal, target.get());
                  case EntryOutcome.Admitted(String pass, RoomClaims claims) ->
                      Reply.redirect(303, target.get())
                          .header("cache-control", "no-store")
                          .header("referrer-policy", "no-referrer")
                          .cookie(
                              RoomService.passCookie(room.id()),
                              pass,
                              Duration.ofSeconds(claims.expiresAt() - claims.issuedAt()))
                          .header(
                              "set-cookie",
                              insideCookie(room, claims.expiresAt() - claims.issuedAt()));
                });
  }

  /// A browser goes on to the target: it has a pass already, or is sent to the waiting page, which
  /// enters again. Programs get the refusal.
  private static Reply refusedTurn(Request request, Refusal refusal, String target) {
    String accept = request.header("accept");
    return accept != null && accept.contains("text/html")
        ? Reply.redirect(303, target).header("cache-control", "no-store")
        : Reply.refuse(refusal);
  }

  /// Tells `room.js` that the browser has a pass, which scripts cannot read.
  private static String insideCookie(Room room, long seconds) {
    return "fairgate_inside_" + room.id() + "=1; Path=/; SameSite=Lax; Max-Age=" + seconds;
  }

  /// The shop frees the slot, or the visitor does: whoever has the pass.
  private Future<Reply> release(Room room, Request request) {
    String sent = request.body().length == 0 ? null : request.json().optionalText("pass");
    String token = sent == null ? request.cookie(RoomService.passCookie(room.id())) : sent;
    Optional<RoomClaims> pass = token == null ? Optional.empty() : service.pass(room, token);
    return pass.isEmpty()
        ? refuse(ErrorCode.INVALID_TURN)
        : service
            .release(room, pass.get())
            .map(
                _ ->
                    Reply.noContent()
                        .cookie(RoomService.passCookie(room.id()), "", Duration.ZERO)
                        .header("set-cookie", insideCookie(room, 0)));
  }

  private Future<Reply> jwks(Room room) {
    return Future.succeededFuture(
        Reply.json(200, tokens.jwks(room.id())).header("cache-control", KEYS_CACHE));
  }

  private static long number(Request request, String name) {
    String text = request.pathParam(name);
    if (!text.matches("[0-9]{1,12}")) {
      throw new InvalidRequest(name, "out_of_range", 0, 999_999_999_999L);
    }
    return Long.parseLong(text);
  }

  private static Future<Reply> refuse(ErrorCode code) {
    return Future.succeededFuture(Reply.refuse(Refusal.of(code)));
  }
}
