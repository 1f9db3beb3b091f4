package fairgate.catalog;

import java.util.Locale;

/// The state of a product's sale. Where `opens_at` is set, Redis time decides between scheduled and
/// open, whichever is stored. A sale whose `closes_at` has passed counts as closed.
public enum ProductState {
  SCHEDULED,
  OPEN,
  PAUSED,
  CLOSED;

  /// The name in JSON, Redis and PostgreSQL.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static ProductState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
