package fairgate.draw;

import java.util.Locale;

/// The states of a draw, in their order. A draw never goes back.
public enum DrawState {
  /// The rules are public; nobody can enter yet.
  ANNOUNCED,
  /// People can enter and withdraw.
  OPEN,
  /// The list is closed and becomes the seal.
  SEALING,
  /// The seal is public; the beacon's round decides.
  SEALED,
  /// The order is public; nobody was offered units yet.
  DRAWN,
  /// Units are offered in the order of the lots.
  ALLOCATING,
  /// All units are accounted for.
  ENDED,
  /// The draw ended without a report, for a public reason.
  ABORTED;

  /// The name in JSON and in PostgreSQL.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static DrawState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /// Whether nothing happens any more.
  public boolean isOver() {
    return this == ENDED || this == ABORTED;
  }
}
