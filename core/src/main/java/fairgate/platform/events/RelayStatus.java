package fairgate.platform.events;

import fairgate.kernel.ProductId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/// The backlog of the relays as one of them sees it.
///
/// @param streams one element per outbox
/// @param deadLetters the number of parked entries at the last count
/// @param parked the number of entries that this relay has parked since its start
/// @param working whether the last step succeeded; false while an engine is unavailable
/// @param measuredAt when this was measured
public record RelayStatus(
    List<StreamLag> streams, long deadLetters, long parked, boolean working, Instant measuredAt) {
  public RelayStatus {
    streams = List.copyOf(streams);
  }

  /// The backlog of one outbox.
  ///
  /// @param undelivered the number of entries that no relay has read
  /// @param pending the number of entries read and not finished
  /// @param oldest the age of the oldest unfinished entry
  public record StreamLag(ProductId product, long undelivered, long pending, Duration oldest) {}

  /// Combines the states of the loops of one relay. Nodes that are no longer masters are left out,
  /// and an outbox counts at its current node: a disconnected loop keeps its last state.
  ///
  /// @param loops the states by Redis node
  /// @param nodes the nodes that own keys now
  /// @param owner the node of a product's outbox
  static RelayStatus of(
      Map<String, RelayStatus> loops,
      Set<String> nodes,
      Function<ProductId, String> owner,
      Instant now) {
    List<RelayStatus> present = new ArrayList<>();
    loops.forEach(
        (node, loop) -> {
          if (nodes.contains(node)) {
            present.add(loop.only(product -> owner.apply(product).equals(node)));
          }
        });
    return of(present, now);
  }

  private RelayStatus only(Predicate<ProductId> products) {
    List<StreamLag> some = streams.stream().filter(lag -> products.test(lag.product())).toList();
    return new RelayStatus(some, deadLetters, parked, working, measuredAt);
  }

  /// Combines the states of the loops of one relay.
  static RelayStatus of(List<RelayStatus> loops, Instant now) {
    return new RelayStatus(
        loops.stream().flatMap(loop -> loop.streams().stream()).toList(),
        loops.stream().mapToLong(RelayStatus::deadLetters).max().orElse(0),
        loops.stream().mapToLong(RelayStatus::parked).sum(),
        loops.stream().allMatch(RelayStatus::working),
        loops.stream().map(RelayStatus::measuredAt).min(Instant::compareTo).orElse(now));
  }

  /// The number of unfinished entries in all outboxes.
  public long lag() {
    return streams.stream().mapToLong(s -> s.undelivered() + s.pending()).sum();
  }

  /// The age of the oldest unfinished entry.
  public Duration oldest() {
    return streams.stream().map(StreamLag::oldest).max(Duration::compareTo).orElse(Duration.ZERO);
  }
}
