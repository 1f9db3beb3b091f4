package fairgate.queue;

import fairgate.kernel.Caller;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.ChallengeResult.SingleUse;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Device;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The checks of a join that need the gate.
@FunctionalInterface
public interface JoinGate {
  /// Verifies a token. Changes nothing except what its issuer counts as use.
  ///
  /// @param level the least work that the challenge must have needed
  Future<ChallengeResult> check(
      String token, ProductId product, Level level, String clientAddress, Device device);

  /// Judges a join before its challenge is verified: its risk, and the waiting room of its sale.
  /// The future never fails.
  default Future<Verdict> judge(QueueService.JoinRequest request) {
    return Future.succeededFuture(Verdict.USUAL);
  }

  /// Counts a join whose challenge was accepted as a visit of the waiting room before its sale. The
  /// refusal when the room is full. The future never fails.
  default Future<Optional<Refusal>> visit(QueueService.JoinRequest request) {
    return Future.succeededFuture(Optional.empty());
  }

  /// Whether a granted appeal spares this caller the challenge of waiting rooms.
  default boolean spares(Caller caller) {
    return false;
  }

  /// Whether the limits by network count this caller; false for callers on the allow-list.
  default boolean countsNetworks(Caller caller) {
    return true;
  }

  /// What visitors pass before they may join a sale, such as a waiting room. Thread-safe.
  interface Entrance {
    /// The room before a sale, for its page; empty for none, and when it is off. Asks no server.
    default Optional<Before> before(ProductId sale, Request request) {
      return Optional.empty();
    }

    /// The refusal of a join; empty when the sender may join. Changes nothing. Fails with
    /// ServiceUnavailable while Redis is away.
    ///
    /// @param request null when the join came through a channel without cookies
    default Future<Optional<Refusal>> check(ProductId sale, @Nullable Request request) {
      return Future.succeededFuture(Optional.empty());
    }

    /// Counts a join that is about to get its place as a visit. The refusal when the room has
    /// become full; empty when the sender may join.
    default Future<Optional<Refusal>> visit(ProductId sale, @Nullable Request request) {
      return Future.succeededFuture(Optional.empty());
    }

    /// A waiting room, and whether the visitor has to wait in it.
    record Before(String id, boolean waits) {}
  }

  enum Level {
    NONE,
    USUAL,
    HARDER,
    /// No challenge is enough: the browser passes a step first.
    STEP
  }

  /// The verdict on a join.
  ///
  /// @param refusal the reply to a join that is refused, which has the level NONE, or that lacks
  ///   its harder challenge or its step; else null
  /// @param seat of the new place
  /// @param decision the id of the decision; null when nothing was judged
  /// @param members further members of an affected reply
  /// @param waiver spares this join the challenge that the level demands; null for none
  /// @param recorder records the decision; called unless the join is a repeat, which decides
  ///   nothing, and for a sample of the joins without a valid challenge
  record Verdict(
      @Nullable Refusal refusal,
      Level level,
      Seat seat,
      @Nullable String decision,
      Map<String, Object> members,
      @Nullable SingleUse waiver,
      Runnable recorder) {
    /// The usual challenge, and a place in order of arrival.
    public static final Verdict USUAL = inOrder(Level.USUAL, null);

    public Verdict {
      members =
          members.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }

    /// A place in order of arrival.
    public static Verdict inOrder(Level level, @Nullable String decision) {
      return new Verdict(null, level, Seat.IN_ORDER, decision, Map.of(), null, () -> {});
    }

    /// A refusal, at once or without the harder challenge or the step.
    public static Verdict refused(Refusal refusal, Level level, @Nullable String decision) {
      return new Verdict(refusal, level, Seat.IN_ORDER, decision, Map.of(), null, () -> {});
    }

    public static Verdict seated(
        Seat seat, @Nullable String decision, Map<String, Object> members) {
      return new Verdict(null, Level.USUAL, seat, decision, members, null, () -> {});
    }

    public Verdict recordedBy(Runnable other) {
      return new Verdict(refusal, level, seat, decision, members, waiver, other);
    }

    public Verdict waivedBy(SingleUse other) {
      return new Verdict(refusal, level, seat, decision, members, other, recorder);
    }
  }
}
