package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Pass;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The scripts of the queue.
record QueueScripts(
    JoinScript join,
    StatusScript status,
    RankScript rank,
    LeaveScript leave,
    OwnPlaceScript ownPlace,
    ExpireScript expire,
    AdmitScript admit,
    IssuePassScript issuePass,
    ReseatScript reseat,
    EndPauseScript endPause,
    MoveBehindScript moveBehind) {
  static QueueScripts on(RedisClient redis) {
    return new QueueScripts(
        new JoinScript(redis),
        new StatusScript(redis),
        new RankScript(redis),
        new LeaveScript(redis),
        new OwnPlaceScript(redis),
        new ExpireScript(redis),
        new AdmitScript(redis),
        new IssuePassScript(redis),
        new ReseatScript(redis),
        new EndPauseScript(redis),
        new MoveBehindScript(redis));
  }

  /// Calls `move_behind.lua`, which moves the place of a risky purchase behind all others.
  record MoveBehindScript(RedisClient redis) {
    private static final LuaScript SCRIPT =
        LuaScript.load(MoveBehindScript.class, "move_behind.lua");

    /// Whether the place was moved.
    Future<Boolean> run(
        SaleKeys keys, ProductId product, SessionId session, String decision, Seat seat) {
      return redis
          .run(
              SCRIPT,
              List.of(keys.sale(), keys.waiting(), keys.active(), keys.ready(), keys.devices()),
              List.of(
                  product.value(),
                  session.value(),
                  decision,
                  seat.wire(),
                  keys.sessionPrefix(),
                  keys.lockPrefix()))
          .map(reply -> reply.text().equals("MOVED"));
    }
  }

  /// Calls `end_pause.lua`, which ends the pauses of a buyer.
  record EndPauseScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(EndPauseScript.class, "end_pause.lua");

    /// Returns the number of ended pauses. A buyer without an account counts as its device.
    ///
    /// @param device the hash of the device within the sale; null for none
    /// @param user null without an account
    Future<Long> run(SaleKeys sale, @Nullable String device, @Nullable String user) {
      List<String> pauses = new ArrayList<>();
      if (device != null) {
        pauses.add(sale.deviceCooldown(device));
        pauses.add(sale.userCooldown(device));
      }
      if (user != null) {
        pauses.add(sale.userCooldown(user));
      }
      return pauses.isEmpty()
          ? Future.succeededFuture(0L)
          : redis.run(SCRIPT, pauses, List.of()).map(reply -> reply.number());
    }
  }

  /// Calls `own_place.lua`, which gives a guest's place to an account.
  record OwnPlaceScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(OwnPlaceScript.class, "own_place.lua");

    enum Result {
      /// The device has no place as a guest, or the sale does not count devices.
      NONE,
      /// The account has the place now.
      OWNED,
      /// The same, and another place of the account has ended.
      MERGED,
      /// The guest's place has ended: the account has one further in front.
      ENDED;

      boolean shorter() {
        return this == MERGED || this == ENDED;
      }
    }

    /// @param device the hash of the device within the sale
    Future<Result> run(SaleKeys sale, String device, String account) {
      return redis
          .run(
              SCRIPT,
              List.of(sale.sale(), sale.waiting(), sale.active(), sale.ready(), sale.devices()),
              List.of(device, account, sale.sessionPrefix(), sale.lockPrefix()))
          .map(reply -> Result.valueOf(reply.text()));
    }
  }

  /// Calls `issue_pass.lua`, which issues the purchase token of a ready session.
  record IssuePassScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(IssuePassScript.class, "issue_pass.lua");

    /// The token in force, or a new one named `nonce`. Empty when the session is no longer ready.
    Future<Optional<Pass>> run(SaleKeys keys, Place place, String nonce) {
      return redis
          .run(
              SCRIPT,
              List.of(keys.sale(), keys.session(place.session()), keys.token(nonce)),
              List.of(place.session().value(), nonce))
          .map(reply -> pass(place, reply.text()));
    }

    private static Optional<Pass> pass(Place place, String reply) {
      String[] words = reply.split(" ", -1);
      return switch (words[0]) {
        case "NOT_READY" -> Optional.empty();
        case "TOKEN" ->
            Optional.of(
                new Pass(
                    place.session(),
                    place.deviceHash(),
                    place.product(),
                    words[1],
                    Long.parseLong(words[2]),
                    place.epoch()));
        default -> throw new IllegalStateException("issue_pass.lua replied " + words[0]);
      };
    }
  }

  /// Calls `status.lua`, which reports the places of sessions, many per run.
  static final class StatusScript {
    private static final LuaScript SCRIPT = LuaScript.load(StatusScript.class, "status.lua");
    private static final int MOST_ITEMS = 128;
    private static final ScriptBatcher.Shared PLAIN = shared(SaleKeys.Style.PLAIN);
    private static final ScriptBatcher.Shared CLUSTER = shared(SaleKeys.Style.CLUSTER);

    private final ScriptBatcher batcher;

    StatusScript(RedisClient redis) {
      this.batcher = new ScriptBatcher(redis, SCRIPT, MOST_ITEMS);
    }

    private static ScriptBatcher.Shared shared(SaleKeys.Style style) {
      return new ScriptBatcher.Shared(
          "status", List.of(), List.of(SaleKeys.open(style), SaleKeys.close(style)));
    }

    /// The place of a session in a single Redis; empty when there is no such session.
    Future<Optional<Place>> run(SessionId session) {
      return run(PLAIN, session, "session:" + session.value());
    }

    /// The same in a cluster.
    ///
    /// @param sale of the session's product
    Future<Optional<Place>> run(SessionId session, SaleKeys sale) {
      return run(CLUSTER, session, sale.session(session));
    }

    private Future<Optional<Place>> run(
        ScriptBatcher.Shared shared, SessionId session, String key) {
      return batcher.call(
          shared,
          new ScriptBatcher.Item(List.of(key), List.of()),
          (reply, _) ->
              "UNKNOWN".equals(reply)
                  ? Optional.empty()
                  : Optional.of(Place.parse(session, reply)));
    }
  }

  /// Calls `leave.lua`, which gives up a place.
  record LeaveScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(LeaveScript.class, "leave.lua");

    /// For a single Redis.
    Future<LeaveOutcome> run(SessionId session) {
      return run(
          SaleKeys.Style.PLAIN,
          List.of("session:" + session.value(), "purchase:lock:" + session.value()),
          session);
    }

    /// The same in a cluster.
    ///
    /// @param sale of the session's product
    Future<LeaveOutcome> run(SessionId session, SaleKeys sale) {
      return run(
          SaleKeys.Style.CLUSTER, List.of(sale.session(session), sale.lock(session)), session);
    }

    /// The session that holds an account's place in a sale, according to the index of owners.
    Future<Optional<SessionId>> placeOf(String account, SaleKeys sale) {
      return redis
          .send("HGET", sale.devices(), account)
          .map(
              found -> found.isNil() ? Optional.empty() : Optional.of(new SessionId(found.text())));
    }

    private Future<LeaveOutcome> run(SaleKeys.Style style, List<String> keys, SessionId session) {
      return redis
          .run(SCRIPT, keys, List.of(SaleKeys.open(style), SaleKeys.close(style), session.value()))
          .map(reply -> outcome(reply.text()));
    }

    private static LeaveOutcome outcome(String reply) {
      String word = reply.indexOf(' ') < 0 ? reply : reply.substring(0, reply.indexOf(' '));
      return switch (word) {
        case "LEFT" -> new LeaveOutcome.Left(new ProductId(reply.substring(5)));
        case "GONE" -> new LeaveOutcome.NotInQueue();
        case "UNKNOWN" -> new LeaveOutcome.UnknownSession();
        default -> throw new IllegalStateException("leave.lua replied " + word);
      };
    }
  }

  /// Calls `reseat.lua`, which moves a place that was seated behind others.
  record ReseatScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(ReseatScript.class, "reseat.lua");

    /// A place of a decision.
    ///
    /// @param session null for [Seat.Move#NONE]
    record Reseated(Seat.Move move, @Nullable SessionId session) {}

    Future<Reseated> run(SaleKeys keys, String decision, Seat seat) {
      return redis
          .run(
              SCRIPT,
              List.of(keys.sale(), keys.waiting(), keys.devices()),
              List.of(decision, seat.wire(), keys.sessionPrefix()))
          .map(reply -> reseated(reply.text().split(" ", 2)));
    }

    private static Reseated reseated(String[] reply) {
      return new Reseated(
          Seat.Move.valueOf(reply[0]), reply.length == 1 ? null : new SessionId(reply[1]));
    }
  }
}
