package fairgate.prove.check;

import fairgate.crowd.proof.RecordedCall;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// For how long a person was unheard while others got answers, from the journal.
///
/// A question without an answer does not count as heard: the node it went to may be frozen while
/// another node serves the rest, and no server can know of it.
final class Silence {
  private Silence() {}

  /// When the service could be reached again after each gap in which nobody of the sale got an
  /// answer for more than half the presence timeout, ns, ascending. The server takes a quarter for
  /// a gap, but times of answers are late by up to a second.
  ///
  /// @param ofSale all looks of one sale
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

  /// The longest time between two answered looks up to `until`, without what lies before the end of
  /// a gap, ms. The first look counts as heard, for it follows the join at once.
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
