package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I12;

import fairgate.prove.stage.Broker;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What went through Kafka against the ledger: all of it arrived, and nothing came another way.
final class WayCheck {
  private final Tally tally;

  WayCheck(Tally tally) {
    this.tally = tally;
  }

  /// Compares; how many came more than once.
  int check(List<Broker.Passed> passed, Map<String, Books> books) {
    Set<Broker.Passed> sent = new HashSet<>(passed);
    Set<Broker.Passed> written = new HashSet<>();
    books.forEach(
        (product, book) ->
            book.events()
                .forEach(e -> written.add(new Broker.Passed(product, e.epoch(), e.seq()))));
    for (Broker.Passed one : sent) {
      if (books.containsKey(one.product())) {
        tally.that(I12, written.contains(one), "%s is in Kafka and not in the ledger", one);
      }
    }
    for (Broker.Passed one : written) {
      tally.that(I12, sent.contains(one), "%s is in the ledger and was never in Kafka", one);
    }
    return passed.size() - sent.size();
  }
}
