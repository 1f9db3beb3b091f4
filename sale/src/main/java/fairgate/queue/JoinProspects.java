package fairgate.queue;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import fairgate.queue.QueueService.JoinRequest;
import io.vertx.core.Future;
import java.util.Optional;

/// Tells whether a buyer could join with a deposit, before the buyer pays one. Gives no place.
public final class JoinProspects {
  private final QueueService queue;
  private final JoinGate gate;
  private final JoinScript script;

  JoinProspects(QueueService queue, JoinGate gate, JoinScript script) {
    this.queue = queue;
    this.gate = gate;
    this.script = script;
  }

  /// The prospect of a join.
  ///
  /// @param refusal the one that the join would get, whatever its challenge; empty if it lacks at
  ///   most a deposit
  /// @param deposit the id of the buyer's deposit that no place has had; empty for none
  public record Prospect(Optional<Refusal> refusal, String deposit) {
    private static Prospect refused(Refusal refusal) {
      return new Prospect(Optional.of(refusal), "");
    }

    /// A harder challenge, and the lots of a draw, still give a place.
    static Prospect of(JoinOutcome outcome) {
      return switch (outcome) {
        case JoinOutcome.NetworkCrowded _ -> new Prospect(Optional.empty(), "");
        case JoinOutcome.ByDraw _ -> new Prospect(Optional.empty(), "");
        case JoinOutcome.Refused refused -> refused(refused.refusal());
        case JoinOutcome.AlreadyInQueue _ -> refused(Refusal.of(ErrorCode.ALREADY_IN_QUEUE));
        case JoinOutcome.Joined _, JoinOutcome.SeatedBehind _ ->
            throw new IllegalStateException("a join that only asked got a place");
      };
    }
  }

  /// Asks the queue alone, for a page. Changes nothing.
  public Future<Prospect> look(JoinRequest request) {
    ProductId product = request.product();
    QueueService.Slot slot = queue.slot(product);
    return script.ask(
        slot.keys(),
        slot.joins(),
        new JoinScript.Join(
            queue.newSession(product),
            request.named(),
            queue.deviceHash(product, request.device().id()),
            request.account(),
            null,
            queue.networks(product, request.caller()),
            0,
            Seat.IN_ORDER,
            "",
            JoinScript.Evidence.ASKS));
  }

  /// Asks the gate as well: whether the buyer's risk and the waiting room before the sale let it
  /// join. A refusal of the gate is recorded, so that the buyer can appeal. Called on event loops.
  public Future<Prospect> judge(JoinRequest request) {
    return gate.judge(request)
        .compose(
            verdict -> {
              Refusal refusal = verdict.refusal();
              if (refusal == null || verdict.level() != JoinGate.Level.NONE) {
                return look(request);
              }
              verdict.recorder().run();
              return Future.succeededFuture(Prospect.refused(refusal));
            });
  }
}
