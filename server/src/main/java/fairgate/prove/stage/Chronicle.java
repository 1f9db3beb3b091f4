package fairgate.prove.stage;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// What was done to the stage, and when; all times are of `System.nanoTime()`.
public final class Chronicle {
  private final long begun = System.nanoTime();
  private final List<Event> events = new ArrayList<>();
  private final List<Outage> outages = new ArrayList<>();
  private final List<Loss> losses = new ArrayList<>();

  /// One line of the story.
  ///
  /// @param fault its name; empty for what is no fault
  public record Event(long at, String fault, String text) {}

  /// Redis was dead for sure from the first to the second.
  public record Outage(long from, long to) {}

  /// What Redis was told between the two was taken from it again.
  ///
  /// @param known orders the ledger had learnt of when Redis came back
  public record Loss(long from, long to, Set<String> known) {}

  public long begun() {
    return begun;
  }

  public synchronized void tell(String fault, String text) {
    events.add(new Event(System.nanoTime(), fault, text));
  }

  public synchronized void outage(long from, long to) {
    outages.add(new Outage(from, to));
  }

  public synchronized void loss(Loss loss) {
    losses.add(loss);
  }

  public synchronized List<Event> events() {
    return List.copyOf(events);
  }

  public synchronized List<Outage> outages() {
    return List.copyOf(outages);
  }

  public synchronized List<Loss> losses() {
    return List.copyOf(losses);
  }
}
