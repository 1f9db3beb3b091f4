package fairgate.kernel;

import java.time.Duration;

/// Draws the order of the tickets that a waiting room has sealed, by public randomness that did not
/// exist when they were sealed.
@FunctionalInterface
public interface OrderDraws {
  /// Public randomness is late this long after its time, seconds. Its sources usually have it after
  /// a few seconds.
  long LATE_SECONDS = 10;

  /// The state of a draw. The first call has the draw announced, once for a room and its epoch: if
  /// Redis has lost or changed the number of sealed tickets since then, the announced number stays.
  /// Called several times a second; never blocks and never fails.
  State of(Sealed sealed);

  /// The time between the announcement of a draw and the public randomness that decides it.
  default Duration margin() {
    return Duration.ZERO;
  }

  /// The sealed tickets: 0 to `tickets` - 1.
  ///
  /// @param epoch of the room when they were sealed
  record Sealed(String room, long epoch, int tickets) {}

  sealed interface State {
    /// It is not announced yet: the room waits.
    record Announcing() implements State {}

    /// The public randomness does not exist yet.
    ///
    /// @param tickets the announced number
    /// @param drawsAt seconds since 1970
    record Waiting(int tickets, long drawsAt) implements State {}

    /// The order is decided.
    ///
    /// @param tickets the announced number
    /// @param seed of the TicketOrder, hex
    record Decided(int tickets, String seed) implements State {}
  }

  /// Draws by a feature that starts after the rooms. Without it, no order is ever decided.
  final class Later implements OrderDraws {
    private volatile OrderDraws draws = _ -> new State.Announcing();

    /// What draws. Called before the start.
    public void drawBy(OrderDraws other) {
      draws = other;
    }

    @Override
    public State of(Sealed sealed) {
      return draws.of(sealed);
    }

    @Override
    public Duration margin() {
      return draws.margin();
    }
  }
}
