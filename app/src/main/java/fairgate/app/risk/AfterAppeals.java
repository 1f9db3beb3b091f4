package fairgate.app.risk;

import fairgate.gate.ban.Ban;
import fairgate.kernel.ChallengeResult.SingleUse;
import fairgate.kernel.ProductId;
import fairgate.queue.JoinGate.Level;
import fairgate.queue.JoinGate.Verdict;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.stream.Stream;

/// The verdict on a join of a person with entries on the allow-list.
public final class AfterAppeals {
  /// A place in order before one behind others, an easier challenge before a harder one, a refusal
  /// last.
  private static final Comparator<Verdict> BEST_FIRST =
      Comparator.comparing(AfterAppeals::isRefused)
          .thenComparing(Verdict::seat)
          .thenComparing(Verdict::level);

  private AfterAppeals() {}

  /// The verdict of risk, or a better one after a granted appeal. Entries of operators change
  /// nothing.
  ///
  /// @param judged the verdict of risk
  /// @param exemptions the entries that apply to the person
  public static Verdict verdict(ProductId sale, Verdict judged, Stream<Ban> exemptions) {
    Verdict verdict = judged;
    SingleUse waiver = null;
    for (Iterator<Ban> all = exemptions.iterator(); all.hasNext(); ) {
      Ban exemption = all.next();
      if (exemption.followsAppeal()) {
        verdict = granted(verdict, exemption);
      } else if (exemption.actor().equals(Ban.once(sale))) {
        waiver = waiver(exemption);
      }
    }
    return waiver == null ? verdict : verdict.waivedBy(waiver);
  }

  /// Whether the join is refused whatever challenge it solves.
  public static boolean isRefused(Verdict verdict) {
    return verdict.refusal() != null && verdict.level() == Level.NONE;
  }

  /// A browser or an account whose appeal was granted needs no challenge: perhaps it cannot solve
  /// one. An address can be that of many, so others there need the usual one, unless risk spares
  /// them.
  private static Verdict granted(Verdict judged, Ban exemption) {
    if (exemption.isOfOnePerson()) {
      return Verdict.inOrder(Level.NONE, null);
    }
    return BEST_FIRST.compare(judged, Verdict.USUAL) <= 0 ? judged : Verdict.USUAL;
  }

  /// Used up by the new place, like the solution of a challenge.
  private static SingleUse waiver(Ban exemption) {
    Duration length = Duration.ofMillis(exemption.until() - exemption.since());
    return new SingleUse("appeal-" + exemption.id(), length);
  }
}
