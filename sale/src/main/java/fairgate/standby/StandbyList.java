package fairgate.standby;

import fairgate.kernel.ProductId;
import fairgate.queue.Seat;
import fairgate.standby.StandbyEntry.State;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The waiting lists, for operators. Blocks: for virtual threads.
public final class StandbyList {
  private final PostgresStandbyList list;
  private final PostgresStandby entries;

  StandbyList(PostgresStandbyList list, PostgresStandby entries) {
    this.list = list;
    this.entries = entries;
  }

  public record Count(long people, long units) {
    public static final Count NONE = new Count(0, 0);
  }

  /// A person on a list.
  ///
  /// @param place grows with the time of registration, over all lists
  /// @param reason the error code of a refused entry; null for the others
  public record Line(
      long place, StandbyEntry entry, @Nullable String reason, Instant registeredAt) {}

  /// The people and units of a sale's list by state. States without people are missing.
  public Map<State, Count> counts(ProductId product) {
    return list.counts(product);
  }

  /// A page of a sale's list, in the order of registration.
  ///
  /// @param after the last place of the page before; 0 for the first page
  /// @param only in this state; null for all
  public List<Line> page(ProductId product, long after, @Nullable State only, int limit) {
    return list.page(product, after, only, limit);
  }

  /// Moves the person whom a decision on risk has seated behind others, after a review or an
  /// appeal. In the seat [Seat#IN_ORDER] the person is where the registration would be without the
  /// decision. A repeat changes nothing. [Seat.Move#NONE] when the decision has seated nobody who
  /// is on the list.
  public Seat.Move reseat(ProductId product, String decision, Seat seat) {
    return entries.reseat(product, decision, seat);
  }
}
