package fairgate.prove.check;

/// The Redis keys of a sale, as in `docs/redis-keys.md`.
///
/// @param tag the product, in braces if Redis is a cluster
/// @param owned prefix of the ids of sessions and orders: the tag and a colon, or nothing
public record Names(String tag, String owned) {
  /// The names of one sale.
  ///
  /// @param clustered whether Redis is a cluster
  public static Names of(String product, boolean clustered) {
    String tag = clustered ? "{" + product + "}" : product;
    return new Names(tag, clustered ? tag + ":" : "");
  }

  /// The counter of free units.
  public String stock() {
    return "product:stock:" + tag;
  }

  /// The prefix of its counters, tokens and similar keys.
  String event() {
    return "event:" + tag + ":";
  }

  /// The hash of the sale itself.
  public String sale() {
    return event() + "sale";
  }

  /// What has each deposit.
  String deposits() {
    return event() + "deposits";
  }

  /// The stream of events for the ledger.
  public String outbox() {
    return event() + "outbox";
  }

  String queue(String state) {
    return "queue:" + state + ":product:" + tag;
  }

  String pending() {
    return "orders:pending:product:" + tag;
  }

  String purchases() {
    return "purchases:product:" + tag;
  }

  String session(String id) {
    return "session:" + owned + id;
  }

  String order(String id) {
    return "order:" + owned + id;
  }
}
