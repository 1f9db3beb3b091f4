package fairgate.queue;

import fairgate.kernel.Caller;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import io.vertx.core.Future;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The checks of a join that need the gate.
@FunctionalInterface
public interface JoinGate {
  /// Verifies a token. Changes nothing except what its issuer counts as use.
  ///
  /// @param level the least work that the challenge must have needed
  Future<ChallengeResult> check(
      String token, ProductId product, Level level, String clientAddress, DeviceId device);

  /// Judges the risk of a join before its challenge is verified. The future never fails.
  default Future<Verdict> judge(QueueService.JoinRequest request) {
    return Future.succeededFuture(Verdict.USUAL);
  }

  /// Whether the limits by network count this caller; false for callers on the allow-list.
  default boolean countsNetworks(Caller caller) {
    return true;
  }

  /// The challenge that a join needs.
  enum Level {
    NONE,
    USUAL,
    HARDER
  }

  /// The verdict on a join.
  ///
  /// @param refusal the reply to a join that is refused, which has the level NONE, or that lacks
  ///   its harder challenge; else null
  /// @param seat of the new place
  /// @param decision the id of the decision; null when nothing was judged
  /// @param members further members of an affected reply
  record Verdict(
      @Nullable Refusal refusal,
      Level level,
      Seat seat,
      @Nullable String decision,
      Map<String, Object> members) {
    /// The usual challenge, and a place in order of arrival.
    public static final Verdict USUAL =
        new Verdict(null, Level.USUAL, Seat.IN_ORDER, null, Map.of());

    public Verdict {
      members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }
  }
}
