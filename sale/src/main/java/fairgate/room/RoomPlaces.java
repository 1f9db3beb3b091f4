package fairgate.room;

import fairgate.kernel.Caller;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.ChallengeResult.SingleUse;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.Device;
import fairgate.platform.http.Refusal;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import fairgate.queue.CallerNetworks;
import fairgate.queue.JoinGate;
import fairgate.room.token.KeyBinding;
import fairgate.room.token.PlaceKeyProof;
import fairgate.room.token.RoomClaims;
import fairgate.room.token.RoomTokens;
import fairgate.room.token.RoomTokens.TokenOutcome;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The places of waiting visitors: get a ticket, stay present, leave. Thread-safe; never blocks an
/// event loop. Fails with ServiceUnavailable while Redis is away.
public final class RoomPlaces {
  private static final Duration SOON = Duration.ofSeconds(1);

  /// The length of a browser's hash: 72 bits.
  private static final int BROWSER = 12;

  private final RoomLoop loop;
  private final RoomTokens tokens;
  private final TakeTicketScript take;
  private final PresenceScript presence;
  private final JoinGate gate;
  private final KeyRing keys;
  private final CallerNetworks networks;
  private final RoomService.Context context;

  RoomPlaces(
      RoomLoop loop,
      RoomTokens tokens,
      RedisClient redis,
      JoinGate gate,
      KeyRing keys,
      RoomService.Context context) {
    this.loop = loop;
    this.tokens = tokens;
    this.take = new TakeTicketScript(redis, context.config().period());
    this.presence = new PresenceScript(redis, context.config().period());
    this.gate = gate;
    this.keys = keys;
    this.networks = new CallerNetworks(keys, gate::countsNetworks);
    this.context = context;
  }

  /// A request for a ticket.
  ///
  /// @param binding only who has the key or the secret behind it can enter
  /// @param challenge the solution; empty for none
  /// @param clientAddress as text, for the challenge
  /// @param caller whose networks are counted
  public record TicketRequest(
      Room room,
      String challenge,
      Device device,
      KeyBinding binding,
      String clientAddress,
      Caller caller) {}

  /// A place token with the proof that the browser may use it.
  ///
  /// @param secret the secret behind the token; null with a key
  /// @param proof see [PlaceKeyProof]; null with a secret
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
    if (request.challenge().isEmpty()) {
      return spared(request);
    }
    return gate.check(
            request.challenge(),
            room.challengeId(),
            JoinGate.Level.USUAL,
            request.clientAddress(),
            request.device())
        .compose(
            result ->
                switch (result) {
                  case ChallengeResult.Accepted(SingleUse once) -> take(request, once);
                  case ChallengeResult.Rejected _ -> spared(request);
                  case ChallengeResult.Unavailable _ ->
                      refused(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON));
                });
  }

  /// Without a valid solution, only a granted appeal helps.
  private Future<TicketOutcome> spared(TicketRequest request) {
    return gate.spares(request.caller())
        ? take(request, null)
        : refused(Refusal.of(ErrorCode.INVALID_TURNSTILE_TOKEN));
  }

  private static Future<TicketOutcome> refused(Refusal refusal) {
    return Future.succeededFuture(new TicketOutcome.Refused(refusal));
  }

  private Future<TicketOutcome> take(TicketRequest request, @Nullable SingleUse once) {
    Room room = request.room();
    String browser =
        keys.fingerprint("room-browser", room.id() + '|' + request.device().id().value())
            .substring(0, BROWSER);
    return run(
        request,
        new TakeTicketScript.Call(
            browser, once, networks.of(room.challengeId(), request.caller()), List.of()));
  }

  private Future<TicketOutcome> run(TicketRequest request, TakeTicketScript.Call call) {
    Room room = request.room();
    return take.run(new RoomStateKeys(room.id()), room.limits(), call)
        .compose(taken -> outcome(request, call, taken));
  }

  private Future<TicketOutcome> outcome(
      TicketRequest request, TakeTicketScript.Call call, TakeTicketScript.Taken taken) {
    return switch (taken.word()) {
      case TICKET -> given(request, taken, true);
      case AGAIN -> given(request, taken, false);
      case DRAWN_PLACES -> {
        RoomNode node = loop.node(request.room().id());
        // Every call tells more numbers, so this ends.
        yield node.drawnCount() == 0
            ? Future.failedFuture(notYet())
            : run(
                request,
                call.knowing(
                    taken.tickets().stream()
                        .map(ticket -> ticket + ":" + node.drawn(ticket))
                        .toList()));
      }
      case INSIDE -> refused(Refusal.of(ErrorCode.ALREADY_INSIDE));
      case NETWORK -> refused(Refusal.of(ErrorCode.NETWORK_LIMIT_REACHED));
      case CHALLENGE_USED -> refused(Refusal.of(ErrorCode.INVALID_TURNSTILE_TOKEN));
      case OFF -> refused(Refusal.of(ErrorCode.ROOM_NOT_WAITING));
      case ENDED -> refused(Refusal.of(ErrorCode.ROOM_ENDED));
      case NO_ROOM -> Future.failedFuture(notYet());
    };
  }

  private Future<TicketOutcome> given(
      TicketRequest request, TakeTicketScript.Taken taken, boolean isFresh) {
    return Future.succeededFuture(
        new TicketOutcome.Given(place(request, taken), taken.ticket(), taken.epoch(), isFresh));
  }

  private String place(TicketRequest request, TakeTicketScript.Taken taken) {
    Room room = request.room();
    Instant opens = room.opening().opensAt();
    long now = context.now();
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
    return tokens.sign(
        RoomTokens.Type.PLACE, room.algorithm(), tokens.tagged(RoomTokens.Type.PLACE, claims));
  }

  /// The hashes of the networks by which visitors from the address are counted, from narrow to
  /// wide.
  List<String> networksOf(Room room, ClientAddress address) {
    return networks.of(room.challengeId(), new Caller(address, "", null, null, null));
  }

  /// Redis has no state of the room yet, or this node has not read it.
  static ServiceUnavailable notYet() {
    return new ServiceUnavailable("the room is not ready", SOON);
  }

  /// The secret of a visitor without JavaScript: only the server and the owner of the browser's
  /// cookie have it.
  public String secretOf(Room room, DeviceId device) {
    byte[] secret = keys.sign("room-no-script", room.id() + '|' + device.value());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
  }

  public KeyBinding bindingOf(Room room, DeviceId device) {
    return KeyBinding.ofSecret(Base64.getUrlDecoder().decode(secretOf(room, device)));
  }

  public Optional<RoomClaims> place(Room room, String token) {
    return tokens.verify(RoomTokens.Type.PLACE, room.scope(), token, context.now())
            instanceof TokenOutcome.Valid(RoomClaims claims)
        ? Optional.of(claims)
        : Optional.empty();
  }

  /// The ticket by which the limits count a call with this token: by its own, and not with all
  /// others at the address. Empty for a token that this server has not made; see
  /// [RoomTokens#recognized].
  Optional<String> countedTicket(Room room, RoomTokens.Type type, String token) {
    return tokens
        .recognized(type, room.scope(), token, context.now())
        .map(
            claims ->
                // A turn names the number in the drawn order, a place token the one before.
                String.join(
                    "|",
                    type.word(),
                    room.id(),
                    Long.toString(room.epoch()),
                    Long.toString(claims.ticket())));
  }

  /// The name of the cookie with the place token of a visitor without JavaScript, without the
  /// prefix `__Host-` that it has over https.
  public static String placeCookie(String room) {
    return "fairgate_place_" + room;
  }

  /// Records that a waiting visitor is present. The place token is enough: nobody gains by it.
  ///
  /// @return null, or why the ticket is worth nothing any more
  public Future<@Nullable ErrorCode> here(Room room, String token) {
    return told(room, place(room, token), presence::here);
  }

  /// Gives up the ticket.
  ///
  /// @return null, or why it cannot be given up
  public Future<@Nullable ErrorCode> leave(Room room, Possession possession) {
    return told(room, possessed(room, possession), presence::leave);
  }

  /// Tells Redis about the visitor of a ticket.
  @FunctionalInterface
  private interface Message {
    Future<PresenceScript.Word> send(RoomStateKeys state, long ticket, int drawn);
  }

  private Future<@Nullable ErrorCode> told(
      Room room, Optional<RoomClaims> claims, Message message) {
    if (claims.isEmpty()) {
      return Future.succeededFuture(ErrorCode.INVALID_PLACE_TOKEN);
    }
    RoomNode node = loop.node(room.id());
    return message
        .send(new RoomStateKeys(room.id()), node.drawn(claims.get().ticket()), node.drawnCount())
        .compose(RoomPlaces::outcome);
  }

  private static Future<@Nullable ErrorCode> outcome(PresenceScript.Word word) {
    return switch (word) {
      case HERE, LEFT -> Future.succeededFuture();
      case GONE -> Future.succeededFuture(ErrorCode.PLACE_GONE);
      case BUSY, NO_ROOM -> Future.failedFuture(notYet());
    };
  }

  /// The claims of a valid place token whose key or secret the caller has.
  Optional<RoomClaims> possessed(Room room, Possession possession) {
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
                      && PlaceKeyProof.isValid(
                          proof, binding, possession.path(), possession.place(), context.now()));
            });
  }

  /// Calls `presence.lua`, which records visitors that are present or leave.
  static final class PresenceScript {
    private static final LuaScript SCRIPT = LuaScript.load(PresenceScript.class, "presence.lua");
    private static final int MAX_ITEMS = 256;

    private final ScriptBatcher batcher;
    private final Duration period;

    PresenceScript(RedisClient redis, Duration period) {
      this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_ITEMS);
      this.period = period;
    }

    enum Word {
      HERE,
      LEFT,
      GONE,
      BUSY,
      NO_ROOM
    }

    /// Records that the visitor is present.
    ///
    /// @param ticket in the drawn order
    /// @param drawn number of drawn tickets that this node knows
    Future<Word> here(RoomStateKeys keys, long ticket, int drawn) {
      return run(keys, drawn, "here " + ticket);
    }

    Future<Word> leave(RoomStateKeys keys, long ticket, int drawn) {
      return run(keys, drawn, "leave " + ticket);
    }

    private Future<Word> run(RoomStateKeys keys, int drawn, String item) {
      return batcher.call(
          new ScriptBatcher.Shared(
              keys.room() + '/' + drawn,
              List.of(keys.state()),
              List.of(keys.prefix(), Long.toString(period.toMillis()), Integer.toString(drawn))),
          new ScriptBatcher.Item(List.of(), List.of(item)),
          (text, _) -> Word.valueOf(text));
    }
  }

  public sealed interface TicketOutcome {
    /// The browser has a ticket.
    ///
    /// @param place the signed place token
    /// @param ticket in order of arrival
    /// @param fresh false for a repeat, which gets the ticket that it has
    record Given(String place, long ticket, long epoch, boolean fresh) implements TicketOutcome {}

    /// The browser has none.
    record Refused(Refusal refusal) implements TicketOutcome {}
  }
}
