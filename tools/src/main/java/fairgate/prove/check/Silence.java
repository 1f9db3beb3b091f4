package fairgate.prove.check;

import fairgate.crowd.proof.RecordedCall;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Computes from the journal how long a visitor got no reply while others did.
///
/// A request without a reply does not count as received: its node may be frozen while another node
/// serves the rest, and no server can know of it.
final class Silence {
  private Silence() {}

  /// The times at which the service became reachable again after each gap in which no visitor of
  /// the sale got a reply for more than half the presence timeout, ns, ascending. The server counts
  /// a quarter as a gap, but the recorded times of replies are late by up to a second.
  ///
  /// @param ofSale all status calls of one sale
  static List<Long> reachableSince(List<RecordedCall> ofSale, long presenceMillis) {
    long gap = presenceMillis * 1_000_000 / 2;
    List<Long> ends = new ArrayList<>();
    List<RecordedCall> answered = answered(ofSale);
    for (int i = 1; i < answered.size(); i++) {
      if (answered.get(i).got() - answered.get(i - 1).got() > gap) {
        ends.add(answered.get(i).got());
      }
    }
    return ends;
  }

  /// The longest time between two answered status calls up to `until`, without the time before the
  /// end of a gap, ms. The first call counts as answered, because it follows the join at once.
  ///
  /// @param looks of one session, at least one
  /// @param reachableSince of the sale
  static long longestMillis(
      List<RecordedCall> looks, RecordedCall until, List<Long> reachableSince) {
    long longest = 0;
    long heard = looks.stream().mapToLong(RecordedCall::sent).min().orElseThrow();
    for (RecordedCall look : answered(looks)) {
      if (look.got() > until.got()) {
        break;
      }
      long counted = heard;
      for (long end : reachableSince) {
        if (end <= look.got()) {
          counted = Math.max(counted, end);
        }
      }
      longest = Math.max(longest, look.got() - counted);
      heard = look.sent();
    }
    return longest / 1_000_000;
  }

  private static List<RecordedCall> answered(List<RecordedCall> looks) {
    return looks.stream()
        .filter(RecordedCall::ok)
        .sorted(Comparator.comparingLong(RecordedCall::got))
        .toList();
  }
}
