package fairgate.app.risk;

import fairgate.gate.ban.Ban;
import fairgate.kernel.ChallengeResult.SingleUse;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import fairgate.queue.JoinGate.Level;
import fairgate.queue.JoinGate.Verdict;
import fairgate.queue.Seat;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The verdict on a join of a person with entries on the allow-list.
public final class AfterAppeals {
  /// A place in order before one behind others, an easier challenge before a harder one, a refusal
  /// last.
  private static final Comparator<Verdict> BEST_FIRST =
      Comparator.comparing(AfterAppeals::isRefused)
          .thenComparing(Verdict::seat)
          .thenComparing(Verdict::level);

  private AfterAppeals() {}

  /// The best verdict that one of the entries gives. A restriction that an appeal has left takes
  /// nothing from an exemption by an operator, and the exemption nothing from a milder restriction.
  ///
  /// @param judged the verdict of risk
  /// @param exemptions the entries that apply to the person
  public static Verdict verdict(ProductId sale, Verdict judged, Stream<Ban> exemptions) {
    Verdict best = null;
    SingleUse waiver = null;
    for (Iterator<Ban> all = exemptions.iterator(); all.hasNext(); ) {
      Ban exemption = all.next();
      Verdict given = given(judged, exemption);
      if (given != null) {
        best = best == null ? given : better(best, given);
      }
      if (exemption.actor().equals(Ban.once(sale))) {
        waiver = waiver(exemption);
      }
    }
    Verdict verdict = best == null ? judged : best;
    return waiver == null ? verdict : verdict.waivedBy(waiver);
  }

  /// Whether the join is refused whatever challenge it solves.
  public static boolean isRefused(Verdict verdict) {
    return verdict.refusal() != null && verdict.level() == Level.NONE;
  }

  private static Verdict better(Verdict one, Verdict other) {
    return BEST_FIRST.compare(one, other) <= 0 ? one : other;
  }

  /// The verdict that an entry gives. An entry of an operator gives that of risk; an entry that an
  /// appeal has left gives what was decided there. Null when the entry changes nothing.
  ///
  /// A browser or an account whose appeal was granted needs no challenge: perhaps it cannot solve
  /// one. An address can be that of many, so others there need the usual one, unless risk spares
  /// them.
  private static @Nullable Verdict given(Verdict judged, Ban exemption) {
    if (!exemption.isLeftByAppeal()) {
      return judged;
    }
    return switch (exemption.actor()) {
      case Ban.APPEAL ->
          exemption.isOfOnePerson()
              ? Verdict.inOrder(Level.NONE, null)
              : better(judged, Verdict.USUAL);
      case Ban.SLOWER ->
          Verdict.refused(
              Refusal.of(ErrorCode.CHALLENGE_REQUIRED), Level.HARDER, judged.decision());
      case Ban.LATE, Ban.BEHIND -> behind(judged, exemption);
      default -> null;
    };
  }

  /// With risk off, nothing could explain the seat. Others at an address are not seated behind
  /// because one of them has appealed.
  private static @Nullable Verdict behind(Verdict judged, Ban exemption) {
    if (!exemption.isOfOnePerson() && judged.refusal() == null) {
      return null;
    }
    return judged.decision() == null
        ? Verdict.USUAL
        : Verdict.seated(Seat.BEHIND, judged.decision(), judged.members());
  }

  /// Used up by the new place, like the solution of a challenge.
  private static SingleUse waiver(Ban exemption) {
    Duration length = Duration.ofMillis(exemption.until() - exemption.since());
    return new SingleUse("appeal-" + exemption.id(), length);
  }
}
