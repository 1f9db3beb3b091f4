package fairgate.room;

import fairgate.kernel.ChallengeResult;
import fairgate.kernel.ChallengeResult.SingleUse;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.Refusal;
import fairgate.platform.redis.RedisClient;
import fairgate.queue.JoinGate;
import fairgate.room.token.DeviceProof;
import fairgate.room.token.KeyBinding;
import fairgate.room.token.RoomClaims;
import fairgate.room.token.RoomTokens;
import fairgate.room.token.TokenOutcome;
import fairgate.room.token.TokenType;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The use cases of visitors: get a ticket, stay present, leave, enter, stay inside. Thread-safe;
/// never blocks an event loop. Fails with ServiceUnavailable while Redis is away.
public final class RoomService {
  /// How long a pass outlives its renewal at most; a visitor without a request leaves after it.
  private static final Duration SOON = Duration.ofSeconds(1);

  /// The slot outlives the pass by this time, so that clocks may differ.
  private static final Duration SLACK = Duration.ofSeconds(2);

  /// The length of a browser's hash: 72 bits.
  private static final int BROWSER = 12;

  private final Rooms rooms;
  private final RoomLoop loop;
  private final RoomTokens tokens;
  private final Scripts scripts;
  private final Context context;

  /// The scripts of visitors.
  record Scripts(
      TakeTicketScript take,
      PresenceScript presence,
      EnterRoomScript enter,
      VisitScript visit,
      WalkInScript walkIn) {
    static Scripts on(RedisClient redis, RoomConfig config) {
      return new Scripts(
          new TakeTicketScript(redis, config.period()),
          new PresenceScript(redis, config.period()),
          new EnterRoomScript(redis, config),
          new VisitScript(redis),
          new WalkInScript(redis));
    }
  }

  /// What the service needs besides.
  record Context(RoomConfig config, JoinGate gate, KeyRing keys, Ids ids, Clock clock) {}

  RoomService(Rooms rooms, RoomLoop loop, RoomTokens tokens, Scripts scripts, Context context) {
    this.rooms = rooms;
    this.loop = loop;
    this.tokens = tokens;
    this.scripts = scripts;
    this.context = context;
  }

  /// A request for a ticket.
  ///
  /// @param binding only who has the key or the secret behind it can enter
  public record TicketRequest(
      Room room, String challenge, DeviceId device, KeyBinding binding, String clientAddress) {}

  /// A place token with the proof that the browser may use it.
  ///
  /// @param secret the secret behind the token; null with a key
  /// @param proof see [DeviceProof]; null with a secret
  /// @param path of the request
  public record Possession(
      String place, @Nullable String secret, @Nullable String proof, String path) {}

  /// Gives the browser a ticket, at the end of the queue. A repeat while the ticket lives gets the
  /// same ticket, in a new token.
  public Future<TicketOutcome> take(TicketRequest request) {
    Room room = request.room();
    if (!room.challenge()) {
      return take(request, null);
    }
    return context
        .gate()
        .check(request.challenge(), room.challengeId(), request.clientAddress(), request.device())
        .compose(
            result ->
                switch (result) {
                  case ChallengeResult.Accepted(SingleUse once) -> take(request, once);
                  case ChallengeResult.Rejected _ ->
                      refused(Refusal.of(ErrorCode.INVALID_TURNSTILE_TOKEN));
                  case ChallengeResult.Unavailable _ ->
                      refused(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON));
                });
  }

  private static Future<TicketOutcome> refused(Refusal refusal) {
    return Future.succeededFuture(new TicketOutcome.Refused(refusal));
  }

  private Future<TicketOutcome> take(TicketRequest request, @Nullable SingleUse once) {
    Room room = request.room();
    RoomStateKeys keys = new RoomStateKeys(room.id());
    String browser =
        context
            .keys()
            .fingerprint("room-browser", room.id() + '|' + request.device().value())
            .substring(0, BROWSER);
    return scripts
        .take()
        .run(keys, browser, once, false)
        .compose(
            taken -> {
              if (taken.word() != TakeTicketScript.Word.DRAWN) {
                return given(request, taken);
              }
              RoomNode node = loop.node(room.id());
              return scripts
                  .presence()
                  .here(keys, node.drawn(taken.ticket()), node.drawnCount())
                  .compose(
                      word ->
                          switch (word) {
                            case HERE, LEFT -> given(request, taken);
                            case GONE ->
                                scripts
                                    .take()
                                    .run(keys, browser, once, true)
                                    .compose(fresh -> given(request, fresh));
                            case BUSY, NO_ROOM -> Future.failedFuture(notYet());
                          });
            });
  }

  private Future<TicketOutcome> given(TicketRequest request, TakeTicketScript.Taken taken) {
    return switch (taken.word()) {
      case TICKET, AGAIN, DRAWN -> {
        boolean fresh = taken.word() == TakeTicketScript.Word.TICKET;
        String token = place(request, taken);
        yield Future.succeededFuture(
            new TicketOutcome.Given(token, taken.ticket(), taken.epoch(), fresh));
      }
      case CHALLENGE_USED -> refused(Refusal.of(ErrorCode.INVALID_TURNSTILE_TOKEN));
      case OFF -> refused(Refusal.of(ErrorCode.ROOM_NOT_WAITING));
      case ENDED -> refused(Refusal.of(ErrorCode.ROOM_ENDED));
      case NO_ROOM -> Future.failedFuture(notYet());
    };
  }

  private String place(TicketRequest request, TakeTicketScript.Taken taken) {
    Room room = request.room();
    Instant opens = room.opening().opensAt();
    long now = now();
    long from = opens == null ? now : Math.max(now, opens.getEpochSecond());
    RoomClaims claims =
        new RoomClaims(
            room.id(),
            taken.epoch(),
            taken.ticket(),
            request.binding(),
            context.ids().nonce(),
            now,
            from + context.config().place().toSeconds(),
            now);
    return tokens.sign(TokenType.PLACE, room.algorithm(), claims);
  }

  /// Redis has no state of the room yet, or this node has not read it.
  private static ServiceUnavailable notYet() {
    return new ServiceUnavailable("the room is not ready", SOON);
  }

  /// The secret of a visitor without JavaScript: only the server and the owner of the browser's
  /// cookie have it.
  public String secretOf(Room room, DeviceId device) {
    byte[] secret = context.keys().sign("room-no-script", room.id() + '|' + device.value());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
  }

  /// The binding to this secret.
  public KeyBinding bindingOf(Room room, DeviceId device) {
    return KeyBinding.ofSecret(Base64.getUrlDecoder().decode(secretOf(room, device)));
  }

  /// The claims of a valid place token of the room.
  public Optional<RoomClaims> place(Room room, String token) {
    return tokens.verify(TokenType.PLACE, room.scope(), token, now())
            instanceof TokenOutcome.Valid(RoomClaims claims)
        ? Optional.of(claims)
        : Optional.empty();
  }

  /// Records that a waiting visitor is present. The place token is enough: nobody gains by it.
  ///
  /// @return null, or why the ticket is worth nothing any more
  public Future<@Nullable ErrorCode> here(Room room, String token) {
    Optional<RoomClaims> claims = place(room, token);
    if (claims.isEmpty()) {
      return Future.succeededFuture(ErrorCode.INVALID_PLACE_TOKEN);
    }
    RoomNode node = loop.node(room.id());
    return scripts
        .presence()
        .here(new RoomStateKeys(room.id()), node.drawn(claims.get().ticket()), node.drawnCount())
        .compose(RoomService::presence);
  }

  /// Gives up the ticket.
  ///
  /// @return null, or why it cannot be given up
  public Future<@Nullable ErrorCode> leave(Room room, Possession possession) {
    Optional<RoomClaims> claims = possessed(room, possession);
    if (claims.isEmpty()) {
      return Future.succeededFuture(ErrorCode.INVALID_PLACE_TOKEN);
    }
    RoomNode node = loop.node(room.id());
    return scripts
        .presence()
        .leave(new RoomStateKeys(room.id()), node.drawn(claims.get().ticket()), node.drawnCount())
        .compose(RoomService::presence);
  }

  private static Future<@Nullable ErrorCode> presence(PresenceScript.Word word) {
    return switch (word) {
      case HERE, LEFT -> Future.succeededFuture();
      case GONE -> Future.succeededFuture(ErrorCode.PLACE_GONE);
      case BUSY, NO_ROOM -> Future.failedFuture(notYet());
    };
  }

  private Optional<RoomClaims> possessed(Room room, Possession possession) {
    return place(room, possession.place())
        .filter(
            claims -> {
              KeyBinding binding = claims.binding();
              if (binding == null) {
                return false;
              }
              String secret = possession.secret();
              String proof = possession.proof();
              return (secret != null && binding.isSecret(secret))
                  || (proof != null
                      && DeviceProof.isValid(
                          proof, binding, possession.path(), possession.place(), now()));
            });
  }

  /// Lets the visitor in when the turn has come: gives a turn, which is valid once and for two
  /// minutes. A repeat before it is used gets a new turn, and the one before it becomes invalid.
  public Future<EntryOutcome> enter(Room room, Possession possession) {
    Optional<RoomClaims> known = possessed(room, possession);
    if (known.isEmpty()) {
      return Future.succeededFuture(refuse(ErrorCode.INVALID_PLACE_TOKEN));
    }
    RoomClaims place = known.get();
    RoomNode node = loop.node(room.id());
    String turn = context.ids().nonce();
    long ticket = node.drawn(place.ticket());
    return scripts
        .enter()
        .run(room, ticket, turn, node.drawnCount())
        .compose(
            word ->
                switch (word) {
                  case ENTER ->
                      Future.succeededFuture(
                          admitted(TokenType.TURN, room, turn(room, place, ticket, turn)));
                  case INSIDE -> Future.succeededFuture(refuse(ErrorCode.ALREADY_INSIDE));
                  case NOT_YET, WAIT ->
                      Future.succeededFuture(
                          new EntryOutcome.Refused(
                              Refusal.of(ErrorCode.NOT_YOUR_TURN).retryAfter(SOON)));
                  case GONE -> Future.succeededFuture(refuse(ErrorCode.PLACE_GONE));
                  case OFF -> Future.succeededFuture(refuse(ErrorCode.ROOM_NOT_WAITING));
                  case ENDED -> Future.succeededFuture(refuse(ErrorCode.ROOM_ENDED));
                  case EPOCH, BUSY, NO_ROOM -> Future.failedFuture(notYet());
                });
  }

  private RoomClaims turn(Room room, RoomClaims place, long ticket, String id) {
    long now = now();
    return new RoomClaims(
        room.id(),
        room.epoch(),
        ticket,
        place.binding(),
        id,
        now,
        now + context.config().turn().toSeconds(),
        now);
  }

  private EntryOutcome admitted(TokenType type, Room room, RoomClaims claims) {
    return new EntryOutcome.Admitted(tokens.sign(type, room.algorithm(), claims), claims);
  }

  /// Exchanges a turn for a pass, once.
  public Future<EntryOutcome> exchange(Room room, String turn) {
    if (!(tokens.verify(TokenType.TURN, room.scope(), turn, now())
        instanceof TokenOutcome.Valid(RoomClaims claims))) {
      return Future.succeededFuture(refuse(ErrorCode.INVALID_TURN));
    }
    RoomClaims pass =
        new RoomClaims(
            room.id(),
            room.epoch(),
            claims.ticket(),
            null,
            claims.id(),
            now(),
            now() + room.session().toSeconds(),
            now());
    return visit(room, VisitScript.Action.EXCHANGE, pass)
        .map(
            word ->
                word == VisitScript.Word.PASS
                    ? admitted(TokenType.PASS, room, pass)
                    : refuse(ErrorCode.INVALID_TURN));
  }

  /// Prolongs the visit of a valid pass: the sliding session, within the absolute one. Callers
  /// renew a pass when half of its time is over; while Redis is away it goes on until it ends.
  public Future<EntryOutcome> renew(Room room, RoomClaims pass) {
    long end = pass.since() + Room.ABSOLUTE_SESSION.toSeconds();
    long until = Math.min(end, now() + room.session().toSeconds());
    RoomClaims renewed = pass.renewed(now(), until);
    if (until <= pass.expiresAt()) {
      return Future.succeededFuture(new EntryOutcome.Refused(Refusal.of(ErrorCode.ALREADY_INSIDE)));
    }
    return visit(room, VisitScript.Action.RENEW, renewed)
        .map(
            word ->
                word == VisitScript.Word.PASS
                    ? admitted(TokenType.PASS, room, renewed)
                    : refuse(ErrorCode.INVALID_TURN));
  }

  /// Ends the visit of a valid pass at once: its slot is free, and the pass is invalid on every
  /// node within a second. A repeat changes nothing.
  public Future<Void> release(Room room, RoomClaims pass) {
    return visit(room, VisitScript.Action.END, pass).mapEmpty();
  }

  private Future<VisitScript.Word> visit(Room room, VisitScript.Action action, RoomClaims pass) {
    Duration lasts = Duration.ofSeconds(Math.max(0, pass.expiresAt() - now())).plus(SLACK);
    return scripts.visit().run(room.id(), action, room.epoch(), pass.ticket(), pass.id(), lasts);
  }

  /// Lets a visitor in who comes while the room is on standby, with a pass at once. Empty when the
  /// room is on, or is turned on by this visitor.
  public Future<Optional<EntryOutcome.Admitted>> walkIn(Room room) {
    return scripts
        .walkIn()
        .run(room)
        .compose(
            come ->
                switch (come.word()) {
                  case PASS -> {
                    RoomClaims pass =
                        new RoomClaims(
                            room.id(),
                            come.epoch(),
                            come.ticket(),
                            null,
                            context.ids().nonce(),
                            now(),
                            now() + room.session().toSeconds(),
                            now());
                    yield Future.succeededFuture(
                        Optional.of(
                            new EntryOutcome.Admitted(
                                tokens.sign(TokenType.PASS, room.algorithm(), pass), pass)));
                  }
                  case FULL, ON -> Future.succeededFuture(Optional.empty());
                  case NO_ROOM -> Future.failedFuture(notYet());
                });
  }

  /// The claims of a pass that is valid now, without asking Redis.
  public Optional<RoomClaims> pass(Room room, String token) {
    return tokens.verify(TokenType.PASS, room.scope(), token, now())
                instanceof TokenOutcome.Valid(RoomClaims claims)
            && !loop.node(room.id()).isRevoked(claims.ticket())
        ? Optional.of(claims)
        : Optional.empty();
  }

  /// The name of the cookie with the pass, without the prefix `__Host-` that it has over https.
  public static String passCookie(String room) {
    return "fairgate_pass_" + room;
  }

  /// The room with this id.
  public Optional<Room> room(String id) {
    return rooms.find(id);
  }

  private static EntryOutcome refuse(ErrorCode code) {
    return new EntryOutcome.Refused(Refusal.of(code));
  }

  private long now() {
    return context.clock().instant().getEpochSecond();
  }
}
