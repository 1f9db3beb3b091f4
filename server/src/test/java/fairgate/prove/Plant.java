package fairgate.prove;

import fairgate.prove.check.Invariant;

/// A fault put into the running server, that the checker has to find: a script with a piece of it
/// replaced. Each has a sale of its own.
enum Plant {
  NONE("900", "fairgate/sale/purchase.lua", "", Plant.PAID, Invariant.I1),
  NO_LIMIT(
      "901",
      "fairgate/sale/purchase.lua",
      "had + quantity > most -> false",
      """
      {"preset": "queue", "active_capacity": 10, "ready_slots": 10, "max_quantity": 2,
       "max_per_user": 1, "max_per_device": 1, "purchase_window_seconds": 2}
      """,
      Invariant.I7),
  NO_STOCK_CHECK(
      "902",
      "fairgate/sale/purchase.lua",
      "return stock < quantity and 'SOLD_OUT' -> return false",
      Plant.PAID,
      Invariant.I2),
  RELEASE_TWICE(
      "903",
      "fairgate/sale/payment/release.lua",
      "redis.call('INCRBY', KEYS[2], q) -> redis.call('INCRBY', KEYS[2], q + q)",
      Plant.PAID,
      Invariant.I1),
  TOKEN_NOT_USED(
      "904", "fairgate/sale/purchase.lua", "'used', '1' -> 'used', '0'", Plant.PAID, Invariant.I5),
  KEY_FORGOTTEN(
      "905",
      "fairgate/sale/purchase.lua",
      "if again then call('SET' -> if false then call('SET'",
      Plant.PAID,
      Invariant.I6),
  NO_OUTBOX_ENTRY(
      "906",
      "fairgate/sale/purchase.lua",
      "call('XADD', KEYS[8], '*',  -> type(",
      Plant.PAID,
      Invariant.I3),
  BEYOND_CAPACITY(
      "907",
      "fairgate/queue/admit.lua",
      "math.min(tonumber(sale[4]) - inActive, most) -> most",
      Plant.PAID,
      Invariant.I15),
  LAST_COME_FIRST_SERVED(
      "908", "fairgate/queue/admit.lua", "'ZPOPMIN' -> 'ZPOPMAX'", Plant.PAID, Invariant.I15),
  BATCH_TWICE(
      "909",
      "fairgate/sale/stock_batch.lua",
      "redis.call('INCRBY', KEYS[2], ARGV[2]) -> redis.call('INCRBY', KEYS[2], ARGV[2] * 2)\n'released', ARGV[2]) -> 'released', ARGV[2] * 2)",
      Plant.PAID,
      Invariant.I16),
  MONEY_KEPT(
      "910",
      "fairgate/sale/payment/confirm.lua",
      "redis.call('HSETNX', order, 'refund:' .. payment, 1) == 1 -> false",
      Plant.PAID,
      Invariant.I10);

  private static final String PAID =
      """
      {"preset": "flash", "active_capacity": 8, "admit_per_second": null, "max_quantity": 2,
       "max_per_user": 3, "max_per_device": 3, "purchase_window_seconds": 2,
       "presence_timeout_seconds": 3, "token_ttl_seconds": 2, "payment_window_seconds": 1,
       "unpaid_cooldown_seconds": 1}
      """;

  private final String product;
  private final String script;
  private final String change;
  private final String policy;
  private final Invariant found;

  /// @param product its sale
  /// @param script the resource
  /// @param change lines of what is in it and what stands there instead
  /// @param policy of the sale
  /// @param found the invariant that must not hold then
  Plant(String product, String script, String change, String policy, Invariant found) {
    this.product = product;
    this.script = script;
    this.change = change;
    this.policy = policy;
    this.found = found;
  }

  /// Its sale.
  String product() {
    return product;
  }

  String script() {
    return script;
  }

  String policy() {
    return policy;
  }

  boolean pays() {
    return policy.equals(PAID);
  }

  Invariant found() {
    return found;
  }

  /// The script with the fault in it. Fails when the piece is not there: the plant has to follow
  /// the script.
  String planted(String source) {
    String altered = source;
    for (String line : change.lines().toList()) {
      String[] swap = line.split(" -> ", 2);
      if (!altered.contains(swap[0])) {
        throw new IllegalStateException(script + " has no " + swap[0]);
      }
      altered = altered.replace(swap[0], swap[1]);
    }
    return altered;
  }
}
