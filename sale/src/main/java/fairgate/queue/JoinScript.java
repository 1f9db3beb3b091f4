package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ChallengeResult.SingleUse;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Refusal;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Calls `join.lua`, which gives a place at the end of the waiting queue.
final class JoinScript {
  private static final LuaScript SCRIPT = LuaScript.load(JoinScript.class, "join.lua");
  private static final int MOST_ITEMS = 128;

  private final ScriptBatcher batcher;

  JoinScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MOST_ITEMS);
  }

  /// Facts about the caller's browser.
  enum Evidence {
    /// It sent no cookie.
    NEW("new"),
    COOKIE(""),
    /// It sent a cookie, and solved a harder challenge than usual.
    PROVEN("proven"),
    /// It only asks whether a deposit would give it a place.
    ASKS("ask");

    private final String word;

    Evidence(String word) {
      this.word = word;
    }
  }

  /// One attempt to join.
  ///
  /// @param named the session the caller already has, if any
  /// @param account the signed-in account, if any
  /// @param once the challenge solution to use up, if it is to be used up here
  /// @param networks the hashes of the caller's networks, see [CallerNetworks]
  /// @param tier the number of the caller's tier, from 1; 0 = none
  /// @param seat of the new place
  /// @param decision the id of the decision on the seat; empty for a place in order of arrival
  /// @param evidence what is known of the caller's browser
  record Join(
      SessionId fresh,
      @Nullable SessionId named,
      String deviceHash,
      @Nullable String account,
      @Nullable SingleUse once,
      List<String> networks,
      int tier,
      Seat seat,
      String decision,
      Evidence evidence) {
    /// A join of a browser with a cookie, in order of arrival.
    Join(
        SessionId fresh,
        @Nullable SessionId named,
        String deviceHash,
        @Nullable String account,
        @Nullable SingleUse once,
        List<String> networks,
        int tier) {
      this(
          fresh,
          named,
          deviceHash,
          account,
          once,
          networks,
          tier,
          Seat.IN_ORDER,
          "",
          Evidence.COOKIE);
    }

    Join with(Evidence other) {
      return new Join(
          fresh, named, deviceHash, account, once, networks, tier, seat, decision, other);
    }
  }

  /// The arguments that all calls for one product share.
  ScriptBatcher.Shared shared(SaleKeys keys) {
    return new ScriptBatcher.Shared(
        keys.product().value(),
        List.of(keys.sale(), keys.waiting(), keys.active(), keys.devices(), keys.ready()),
        List.of(keys.product().value(), keys.sessionPrefix(), keys.eventPrefix()));
  }

  Future<JoinOutcome> run(SaleKeys keys, ScriptBatcher.Shared shared, Join call) {
    ScriptBatcher.Item item =
        new ScriptBatcher.Item(List.of(keys.session(call.fresh())), List.of(facts(call)));
    return batcher.call(
        shared, item, (reply, rest) -> outcome(call.fresh(), reply, rest.parsed(JoinScript::life)));
  }

  /// What a join that only asks would get: `DEPOSIT` and the id of the caller's free deposit, if it
  /// has one, else a refusal. Writes nothing.
  Future<JoinProspects.Prospect> ask(SaleKeys keys, ScriptBatcher.Shared shared, Join call) {
    ScriptBatcher.Item item =
        new ScriptBatcher.Item(List.of(keys.session(call.fresh())), List.of(facts(call)));
    return batcher.call(
        shared,
        item,
        (reply, rest) -> {
          String[] words = reply.split(" ", -1);
          return switch (words[0]) {
            case "DEPOSIT" ->
                new JoinProspects.Prospect(Optional.empty(), words.length > 1 ? words[1] : "");
            // The caller may sign in.
            case "IDENTITY" -> new JoinProspects.Prospect(Optional.empty(), "");
            default ->
                JoinProspects.Prospect.of(
                    outcome(call.fresh(), reply, rest.parsed(JoinScript::life)));
          };
        });
  }

  /// A join of a device only needs no parsing in the script.
  private static String facts(Join call) {
    SessionId named = call.named();
    String account = call.account();
    SingleUse once = call.once();
    if (named == null
        && account == null
        && once == null
        && call.networks().isEmpty()
        && call.tier() == 0
        && call.seat() == Seat.IN_ORDER
        && call.evidence() != Evidence.ASKS) {
      return call.deviceHash();
    }
    return String.join(
        "|",
        call.deviceHash(),
        account == null ? "" : account,
        named == null ? "" : named.value(),
        once == null ? "" : once.nonce(),
        once == null ? "" : Long.toString(Math.max(1, once.remember().toMillis())),
        String.join(" ", call.networks()),
        call.tier() == 0 ? "" : Integer.toString(call.tier()),
        call.seat().wire(),
        call.decision(),
        call.evidence().word);
  }

  private static Duration life(String millis) {
    return Duration.ofMillis(Long.parseLong(millis));
  }

  /// Parses `ms reason`.
  private static JoinOutcome coolingDown(String text) {
    String[] f = text.split(" ", -1);
    return new JoinOutcome.CoolingDown(
        Duration.ofMillis(Long.parseLong(f[0])), "missed".equals(f[1]));
  }

  private static JoinOutcome outcome(SessionId fresh, String reply, Duration life) {
    int space = reply.indexOf(' ');
    String word = space < 0 ? reply : reply.substring(0, space);
    String rest = reply.substring(space + 1);
    return switch (word) {
      case "JOINED" -> new JoinOutcome.Joined(fresh, Integer.parseInt(rest), life);
      case "ALREADY" -> new JoinOutcome.AlreadyInQueue(new SessionId(rest), life);
      case "LIMIT" -> new JoinOutcome.LimitReached();
      case "COOLDOWN" -> coolingDown(rest);
      case "NETWORK" -> new JoinOutcome.NetworkLimitReached();
      case "CROWDED" -> new JoinOutcome.NetworkCrowded();
      case "IDENTITY" ->
          // This node has not read the sale's present policy yet.
          throw new ServiceUnavailable("another identity counts", Duration.ofSeconds(1));
      case "CHALLENGE_USED" -> new JoinOutcome.ChallengeRefused();
      case "DRAW" -> new JoinOutcome.ByDraw();
      case "CLOSED" -> new JoinOutcome.SaleClosed();
      case "STOPPED" -> new JoinOutcome.JoinsStopped();
      case "DEPOSIT" -> new JoinOutcome.DepositRequired(Refusal.of(ErrorCode.DEPOSIT_REQUIRED));
      case "NO_SALE" -> new JoinOutcome.NoSuchProduct();
      default -> throw new IllegalStateException("join.lua replied " + word);
    };
  }
}
