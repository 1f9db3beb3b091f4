package fairgate.catalog;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;

/// Builds the names of all Redis keys of one product's sale; `docs/redis-keys.md` describes them.
public final class SaleKeys {
  public enum Style {
    /// As in the seed document; for a single Redis.
    PLAIN,
    /// With the product id in braces; for Redis Cluster.
    CLUSTER;

    /// Returns the style that a Redis needs.
    ///
    /// @param clustered whether it is a cluster
    public static Style of(boolean clustered) {
      return clustered ? CLUSTER : PLAIN;
    }
  }

  private final ProductId product;
  private final Style style;
  private final String tag;
  private final String event;

  private SaleKeys(ProductId product, Style style) {
    this.product = product;
    this.style = style;
    this.tag = open(style) + product.value() + close(style);
    this.event = "event:" + tag;
  }

  public static SaleKeys of(ProductId product, Style style) {
    return new SaleKeys(product, style);
  }

  /// The text before a product id in a name: empty, or the opening brace of a hash tag.
  public static String open(Style style) {
    return style == Style.CLUSTER ? "{" : "";
  }

  /// The text after a product id in a name.
  public static String close(Style style) {
    return style == Style.CLUSTER ? "}" : "";
  }

  /// The pointer from a session to its product, in a cluster. It is the only key of a session whose
  /// name does not depend on the product.
  public static String pointer(SessionId session) {
    return "session:" + session.value() + ":product";
  }

  public ProductId product() {
    return product;
  }

  public String stock() {
    return "product:stock:" + tag;
  }

  public String sale() {
    return event + ":sale";
  }

  public String waiting() {
    return "queue:waiting:product:" + tag;
  }

  public String active() {
    return "queue:active:product:" + tag;
  }

  public String ready() {
    return "queue:ready:product:" + tag;
  }

  /// Places by device and by account.
  public String devices() {
    return "queue:devices:product:" + tag;
  }

  /// The sessions that hold or have bought units.
  public String purchases() {
    return "purchases:product:" + tag;
  }

  public String pending() {
    return "orders:pending:product:" + tag;
  }

  /// The holder of each deposit, and the newest deposit of each owner.
  public String deposits() {
    return event + ":deposits";
  }

  public String outbox() {
    return event + ":outbox";
  }

  public String sessionPrefix() {
    return style == Style.CLUSTER ? "session:" + tag + ":" : "session:";
  }

  /// The prefix of purchase locks. They tell other programs whose window is open; no script reads
  /// them.
  public String lockPrefix() {
    return style == Style.CLUSTER ? "purchase:lock:" + tag + ":" : "purchase:lock:";
  }

  /// The prefix of counters, tokens and idempotency keys.
  public String eventPrefix() {
    return event;
  }

  public String orderPrefix() {
    return style == Style.CLUSTER ? "order:" + tag + ":" : "order:";
  }

  public String session(SessionId session) {
    return sessionPrefix() + session.value();
  }

  public String lock(SessionId session) {
    return lockPrefix() + session.value();
  }

  public String order(OrderId order) {
    return orderPrefix() + order.value();
  }

  public String userBought(String user) {
    return event + ":user:" + user + ":bought";
  }

  public String deviceBought(String deviceHash) {
    return event + ":fp:" + deviceHash + ":bought";
  }

  public String userCooldown(String user) {
    return event + ":user:" + user + ":cooldown";
  }

  public String deviceCooldown(String deviceHash) {
    return event + ":fp:" + deviceHash + ":cooldown";
  }

  public String token(String tokenId) {
    return event + ":token:" + tokenId;
  }

  /// The first reply to an idempotency key; `hash` is made from the session and its key.
  public String idempotency(String hash) {
    return event + ":idem:" + hash;
  }

  public String challenge(String nonce) {
    return event + ":challenge:" + nonce;
  }
}
