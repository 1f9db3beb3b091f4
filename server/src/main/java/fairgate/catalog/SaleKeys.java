package fairgate.catalog;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;

/// The names of all Redis keys of one product's sale; `docs/redis-keys.md` says what each holds.
///
/// In Cluster mode the product id is a hash tag in every name, so that a whole sale lives in one
/// slot.
public final class SaleKeys {
  /// How names are written.
  public enum Style {
    /// As the seed document names them; for a single Redis.
    PLAIN,
    /// With the product id in braces; for Redis Cluster.
    CLUSTER;

    /// The style a Redis needs.
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

  /// The names for one product.
  public static SaleKeys of(ProductId product, Style style) {
    return new SaleKeys(product, style);
  }

  /// What stands before a product id inside a name: nothing, or the opening brace of a hash tag.
  public static String open(Style style) {
    return style == Style.CLUSTER ? "{" : "";
  }

  /// What stands after a product id inside a name.
  public static String close(Style style) {
    return style == Style.CLUSTER ? "}" : "";
  }

  /// In a cluster, says which product a session belongs to: the one key of a session that can be
  /// found without knowing that.
  public static String pointer(SessionId session) {
    return "session:" + session.value() + ":product";
  }

  /// The product whose keys these are.
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

  public String devices() {
    return "queue:devices:product:" + tag;
  }

  public String purchases() {
    return "purchases:product:" + tag;
  }

  public String pending() {
    return "orders:pending:product:" + tag;
  }

  public String outbox() {
    return event + ":outbox";
  }

  /// What every session key of this product begins with.
  public String sessionPrefix() {
    return style == Style.CLUSTER ? "session:" + tag + ":" : "session:";
  }

  /// What every purchase lock of this product begins with.
  public String lockPrefix() {
    return style == Style.CLUSTER ? "purchase:lock:" + tag + ":" : "purchase:lock:";
  }

  /// What the names of counters, tokens and idempotency keys of this product begin with.
  public String eventPrefix() {
    return event;
  }

  /// What every order key of this product begins with.
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

  public String idempotency(String key) {
    return event + ":idem:" + key;
  }

  public String challenge(String nonce) {
    return event + ":challenge:" + nonce;
  }
}
