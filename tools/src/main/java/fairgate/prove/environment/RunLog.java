package fairgate.prove.environment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// The actions of a run and their times, in `System.nanoTime()`.
public final class RunLog {
  private final long begun = System.nanoTime();
  private final List<Event> events = new ArrayList<>();
  private final List<Outage> outages = new ArrayList<>();
  private final List<Loss> losses = new ArrayList<>();
  private final List<Long> failovers = new ArrayList<>();
  private final List<KafkaEmptied> emptied = new ArrayList<>();

  /// One action.
  ///
  /// @param fault its name; empty if it is not a fault
  public record Event(long at, String fault, String text) {}

  /// Redis was dead for sure from the first to the second.
  ///
  /// @param sales those it has
  public record Outage(long from, long to, Predicate<String> sales) {}

  /// Redis lost its writes between two times.
  ///
  /// @param known orders in the ledger when Redis came back
  /// @param epochs by product: the highest epoch before Redis came back
  /// @param sales the sales on this Redis
  /// @param places sales whose sessions it may have pointed to, including those that moved away
  public record Loss(
      long from,
      long to,
      Set<String> known,
      Map<String, Long> epochs,
      Predicate<String> sales,
      Predicate<String> places) {}

  /// Kafka died and came back without its data.
  ///
  /// @param at the time at which it was certainly dead, milliseconds since 1970 by Redis, at most a
  ///   second late
  /// @param had its entries at that time, each as often as it was written
  /// @param lost entries without another copy: acknowledged in the outbox, and read by no reader
  /// @param missing events counted in Redis after Kafka's return that had not reached the ledger at
  ///   the end of the wait
  public record KafkaEmptied(
      long at, List<Broker.KafkaRecord> had, Set<Broker.KafkaRecord> lost, long missing) {
    public KafkaEmptied {
      had = List.copyOf(had);
      lost = Set.copyOf(lost);
    }
  }

  public long begun() {
    return begun;
  }

  public synchronized void tell(String fault, String text) {
    events.add(new Event(System.nanoTime(), fault, text));
  }

  public synchronized void outage(long from, long to, Predicate<String> sales) {
    outages.add(new Outage(from, to, sales));
  }

  public synchronized void loss(Loss loss) {
    losses.add(loss);
  }

  /// A primary died at this time, and a replica took its place.
  public synchronized void failover(long at) {
    failovers.add(at);
  }

  /// The times at which a primary died.
  public synchronized List<Long> failovers() {
    return List.copyOf(failovers);
  }

  public synchronized void emptied(KafkaEmptied kafka) {
    emptied.add(kafka);
  }

  public synchronized List<Event> events() {
    return List.copyOf(events);
  }

  public synchronized List<Outage> outages() {
    return List.copyOf(outages);
  }

  /// Each time that Kafka came back empty.
  public synchronized List<KafkaEmptied> emptied() {
    return List.copyOf(emptied);
  }

  /// The losses of all Redis servers.
  public synchronized List<Loss> losses() {
    return List.copyOf(losses);
  }

  /// The losses of a sale's Redis.
  public synchronized List<Loss> losses(String product) {
    return losses.stream().filter(loss -> loss.sales().test(product)).toList();
  }
}
