package fairgate.prove.stage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// What was done to the stage, and when; all times are of `System.nanoTime()`.
public final class Chronicle {
  private final long begun = System.nanoTime();
  private final List<Event> events = new ArrayList<>();
  private final List<Outage> outages = new ArrayList<>();
  private final List<Loss> losses = new ArrayList<>();
  private final List<Emptied> emptied = new ArrayList<>();

  /// One line of the story.
  ///
  /// @param fault its name; empty for what is no fault
  public record Event(long at, String fault, String text) {}

  /// Redis was dead for sure from the first to the second.
  ///
  /// @param sales those it has
  public record Outage(long from, long to, Predicate<String> sales) {}

  /// What Redis was told between the two was taken from it again.
  ///
  /// @param known orders the ledger had learnt of when Redis came back
  /// @param epochs by product: the highest epoch that was opened before Redis came back
  /// @param sales those it had
  /// @param places sales whose sessions it may have pointed to: those it had before they moved, too
  public record Loss(
      long from,
      long to,
      Set<String> known,
      Map<String, Long> epochs,
      Predicate<String> sales,
      Predicate<String> places) {}

  /// Kafka died and came back without anything it had.
  ///
  /// @param at when it was dead for sure, milliseconds since 1970 by Redis, at most a second late
  /// @param had what it had then, each as often as it was given it
  /// @param lost what nobody else had: the outbox was told so, and no reader had been given it
  /// @param missing how many of the events that Redis had counted when Kafka was back, or a moment
  ///   later, had not reached the ledger when that was no longer waited for
  public record Emptied(long at, List<Broker.Passed> had, Set<Broker.Passed> lost, long missing) {
    public Emptied {
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

  public synchronized void emptied(Emptied kafka) {
    emptied.add(kafka);
  }

  public synchronized List<Event> events() {
    return List.copyOf(events);
  }

  public synchronized List<Outage> outages() {
    return List.copyOf(outages);
  }

  /// Each time that Kafka came back empty.
  public synchronized List<Emptied> emptied() {
    return List.copyOf(emptied);
  }

  /// What was taken from any Redis.
  public synchronized List<Loss> losses() {
    return List.copyOf(losses);
  }

  /// What was taken from the Redis of a sale.
  public synchronized List<Loss> losses(String product) {
    return losses.stream().filter(loss -> loss.sales().test(product)).toList();
  }
}
