package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I12;
import static fairgate.prove.check.Invariant.I21;

import fairgate.prove.environment.Broker;
import fairgate.prove.environment.RunLog;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Compares the records in Kafka with the ledger: each has the same events.
final class KafkaCheck {
  private final Evidence evidence;
  private final List<RunLog.KafkaEmptied> emptied;
  private final InvariantResults tally;

  KafkaCheck(Evidence evidence, InvariantResults tally) {
    this.evidence = evidence;
    this.emptied = evidence.runLog().emptied();
    this.tally = tally;
  }

  /// Compares, and returns the number of repeated entries.
  ///
  /// @param passed the entries in Kafka
  int check(List<Broker.KafkaRecord> passed, Map<String, LedgerSnapshot> ledger) {
    List<Broker.KafkaRecord> all = new ArrayList<>(passed);
    emptied.forEach(kafka -> all.addAll(kafka.had()));
    Set<Broker.KafkaRecord> sent = new HashSet<>(all);
    Set<Broker.KafkaRecord> written = new HashSet<>();
    ledger.forEach(
        (product, book) ->
            book.events()
                .forEach(
                    event -> {
                      var one = new Broker.KafkaRecord(product, event.epoch(), event.seq());
                      written.add(one);
                      went(one, event, sent);
                    }));
    Set<Broker.KafkaRecord> refused = new HashSet<>();
    ledger.forEach(
        (product, book) ->
            evidence
                .crowdedOut(product, book)
                .forEach(
                    one -> refused.add(new Broker.KafkaRecord(product, one.epoch(), one.seq()))));
    for (Broker.KafkaRecord one : sent) {
      if (refused.contains(one)) {
        tally.excuse(I12);
      } else if (ledger.containsKey(one.product())) {
        tally.that(I12, written.contains(one), "%s is in Kafka and not in the ledger", one);
      }
    }
    emptied.forEach(kafka -> fedAgain(kafka, written, ledger.keySet()));
    return all.size() - sent.size();
  }

  private void went(
      Broker.KafkaRecord one, LedgerSnapshot.Event event, Set<Broker.KafkaRecord> sent) {
    if (!sent.contains(one) && emptied.stream().anyMatch(kafka -> event.at() <= kafka.at())) {
      // A Kafka that is no more may have had it.
      tally.excuse(I12);
    } else {
      tally.that(I12, sent.contains(one), "%s is in the ledger and was never in Kafka", one);
    }
  }

  private void fedAgain(
      RunLog.KafkaEmptied kafka, Set<Broker.KafkaRecord> written, Set<String> products) {
    tally.that(
        I21,
        kafka.missing() == 0,
        "Kafka came back empty, and the ledger still lacked %d events when all had run for long",
        kafka.missing());
    for (Broker.KafkaRecord one : kafka.lost()) {
      if (products.contains(one.product())) {
        tally.that(I21, written.contains(one), "Kafka took %s and lost it; so did the ledger", one);
      }
    }
  }
}
