package fairgate.room;

import fairgate.kernel.ClientAddress;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.platform.http.Refusal;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.room.token.RoomClaims;
import fairgate.room.token.RoomTokens;
import fairgate.room.token.RoomTokens.TokenOutcome;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The visits of a room: enter, stay inside, leave. Thread-safe; never blocks an event loop. Fails
/// with ServiceUnavailable while Redis is away.
public final class RoomService {
  /// How long a pass outlives its renewal at most; a visitor without a request leaves after it.
  private static final Duration SOON = Duration.ofSeconds(1);

  /// The slot outlives the pass by this time, so that clocks may differ.
  private static final Duration SLACK = Duration.ofSeconds(2);

  private final Rooms rooms;
  private final RoomLoop loop;
  private final RoomPlaces places;
  private final RoomTokens tokens;
  private final Scripts scripts;
  private final Context context;

  record Scripts(EnterRoomScript enter, VisitScript visit, WalkInScript walkIn) {
    static Scripts on(RedisClient redis, RoomFeature.Config config) {
      return new Scripts(
          new EnterRoomScript(redis, config),
          new VisitScript(redis),
          new WalkInScript(redis, config.period()));
    }
  }

  record Context(RoomFeature.Config config, Ids ids, Clock clock) {
    /// Seconds since 1970.
    long now() {
      return clock.instant().getEpochSecond();
    }
  }

  RoomService(
      Rooms rooms,
      RoomLoop loop,
      RoomPlaces places,
      RoomTokens tokens,
      Scripts scripts,
      Context context) {
    this.rooms = rooms;
    this.loop = loop;
    this.places = places;
    this.tokens = tokens;
    this.scripts = scripts;
    this.context = context;
  }

  /// Lets the visitor in when the turn has come: gives a turn, which is valid once and for two
  /// minutes. A repeat before it is used gets a new turn, and the one before it becomes invalid.
  public Future<EntryOutcome> enter(Room room, RoomPlaces.Possession possession) {
    Optional<RoomClaims> known = places.possessed(room, possession);
    if (known.isEmpty()) {
      return Future.succeededFuture(refuse(ErrorCode.INVALID_PLACE_TOKEN));
    }
    RoomClaims place = known.get();
    RoomNode node = loop.node(room.id());
    RoomClaims turn = turn(room, place, node.drawn(place.ticket()));
    return scripts
        .enter()
        .run(room, turn.ticket(), turn.id(), node.drawnCount())
        .compose(
            word ->
                switch (word) {
                  case ENTER -> Future.succeededFuture(admitted(RoomTokens.Type.TURN, room, turn));
                  case INSIDE -> Future.succeededFuture(refuse(ErrorCode.ALREADY_INSIDE));
                  case NOT_YET, WAIT ->
                      Future.succeededFuture(
                          new EntryOutcome.Refused(
                              Refusal.of(ErrorCode.NOT_YOUR_TURN).retryAfter(SOON)));
                  case GONE -> Future.succeededFuture(refuse(ErrorCode.PLACE_GONE));
                  case OFF -> Future.succeededFuture(refuse(ErrorCode.ROOM_NOT_WAITING));
                  case ENDED -> Future.succeededFuture(refuse(ErrorCode.ROOM_ENDED));
                  case EPOCH, BUSY, NO_ROOM -> Future.failedFuture(RoomPlaces.notYet());
                });
  }

  private RoomClaims turn(Room room, RoomClaims place, long ticket) {
    long now = now();
    return tokens.tagged(
        RoomTokens.Type.TURN,
        new RoomClaims(
            room.id(),
            room.epoch(),
            ticket,
            place.binding(),
            context.ids().nonce(),
            now,
            now + context.config().turn().toSeconds(),
            now));
  }

  private EntryOutcome.Admitted admitted(RoomTokens.Type type, Room room, RoomClaims claims) {
    return new EntryOutcome.Admitted(tokens.sign(type, room.algorithm(), claims), claims);
  }

  /// Exchanges a turn for a pass, once.
  public Future<EntryOutcome> exchange(Room room, String turn) {
    if (!(tokens.verify(RoomTokens.Type.TURN, room.scope(), turn, now())
        instanceof TokenOutcome.Valid(RoomClaims claims))) {
      return Future.succeededFuture(refuse(ErrorCode.INVALID_TURN));
    }
    return passed(
        room, VisitScript.Action.EXCHANGE, pass(room, room.epoch(), claims.ticket(), claims.id()));
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
    return passed(room, VisitScript.Action.RENEW, renewed);
  }

  private Future<EntryOutcome> passed(Room room, VisitScript.Action action, RoomClaims pass) {
    return visit(room, action, pass)
        .map(
            word ->
                word == VisitScript.Word.PASS
                    ? admitted(RoomTokens.Type.PASS, room, pass)
                    : refuse(ErrorCode.INVALID_TURN));
  }

  private RoomClaims pass(Room room, long epoch, long ticket, String id) {
    long now = now();
    long until = now + room.session().toSeconds();
    return new RoomClaims(room.id(), epoch, ticket, null, id, now, until, now);
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
  /// room is on, or is turned on by this visitor: because it is full, or because too many came from
  /// the network.
  ///
  /// @param client null when it is not known
  public Future<Optional<EntryOutcome.Admitted>> walkIn(Room room, @Nullable ClientAddress client) {
    return scripts
        .walkIn()
        .run(room, client == null ? List.of() : places.networksOf(room, client))
        .compose(
            come ->
                switch (come.word()) {
                  case PASS -> {
                    RoomClaims pass =
                        pass(room, come.epoch(), come.ticket(), context.ids().nonce());
                    yield Future.succeededFuture(
                        Optional.of(admitted(RoomTokens.Type.PASS, room, pass)));
                  }
                  case FULL, ON -> Future.succeededFuture(Optional.empty());
                  case NO_ROOM -> Future.failedFuture(RoomPlaces.notYet());
                });
  }

  public Optional<RoomClaims> pass(Room room, String token) {
    return tokens.verify(RoomTokens.Type.PASS, room.scope(), token, now())
                instanceof TokenOutcome.Valid(RoomClaims claims)
            && !loop.node(room.id()).isRevoked(claims.ticket())
        ? Optional.of(claims)
        : Optional.empty();
  }

  /// The name of the cookie with the pass, without the prefix `__Host-` that it has over https.
  public static String passCookie(String room) {
    return "fairgate_pass_" + room;
  }

  public Optional<Room> room(String id) {
    return rooms.find(id);
  }

  private static EntryOutcome refuse(ErrorCode code) {
    return new EntryOutcome.Refused(Refusal.of(code));
  }

  private long now() {
    return context.now();
  }

  /// Calls `visit.lua`, which starts, prolongs and ends visits.
  record VisitScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(VisitScript.class, "visit.lua");

    enum Action {
      EXCHANGE,
      RENEW,
      END
    }

    enum Word {
      PASS,
      USED,
      OVER,
      ENDED,
      EPOCH
    }

    /// @param ticket in the drawn order
    /// @param turn id of the turn; empty where there is none
    /// @param lasts from now on, for `EXCHANGE` and `RENEW`
    Future<Word> run(
        String room, Action action, long epoch, long ticket, String turn, Duration lasts) {
      RoomStateKeys keys = new RoomStateKeys(room);
      return redis
          .run(
              SCRIPT,
              List.of(keys.state(), keys.inside(), keys.turns(), keys.revoked(), keys.exchanged()),
              List.of(
                  keys.prefix(),
                  action.name().toLowerCase(Locale.ROOT),
                  Long.toString(epoch),
                  Long.toString(ticket),
                  turn,
                  Long.toString(lasts.toMillis()),
                  Long.toString(Room.ABSOLUTE_SESSION.toMillis())))
          .map(reply -> Word.valueOf(reply.text()));
    }
  }

  /// Calls `enter_room.lua`, which lets a visitor in whose turn has come.
  record EnterRoomScript(RedisClient redis, RoomFeature.Config config) {
    private static final LuaScript SCRIPT = LuaScript.load(EnterRoomScript.class, "enter_room.lua");

    enum Word {
      ENTER,
      INSIDE,
      NOT_YET,
      WAIT,
      GONE,
      OFF,
      ENDED,
      EPOCH,
      BUSY,
      NO_ROOM
    }

    /// @param ticket in the drawn order
    /// @param turn id of the turn
    /// @param drawn number of drawn tickets that this node knows
    Future<Word> run(Room room, long ticket, String turn, int drawn) {
      RoomStateKeys keys = new RoomStateKeys(room.id());
      return redis
          .run(
              SCRIPT,
              List.of(
                  keys.state(),
                  keys.inside(),
                  keys.reservedOrder(),
                  keys.due(),
                  keys.turns(),
                  keys.exchanged()),
              List.of(
                  keys.prefix(),
                  Long.toString(room.epoch()),
                  Long.toString(ticket),
                  turn,
                  Long.toString(config.turn().toMillis()),
                  Integer.toString(room.admission().capacity()),
                  Double.toString(room.admission().rate()),
                  Integer.toString(drawn)))
          .map(reply -> Word.valueOf(reply.text().split(" ", -1)[0]));
    }
  }

  public sealed interface EntryOutcome {
    /// The visitor may go on.
    ///
    /// @param token the turn, or the pass
    record Admitted(String token, RoomClaims claims) implements EntryOutcome {}

    record Refused(Refusal refusal) implements EntryOutcome {}
  }
}
