package fairgate.catalog;

import java.util.Locale;

/// Where a product's sale stands. A scheduled sale whose `opens_at` has passed counts as open, and
/// any sale whose `closes_at` has passed as closed, by Redis time.
public enum ProductState {
  SCHEDULED,
  OPEN,
  PAUSED,
  CLOSED;

  /// The name in JSON, in Redis and in PostgreSQL.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static ProductState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
