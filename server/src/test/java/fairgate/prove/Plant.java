package fairgate.prove;

import fairgate.prove.check.Invariant;
import java.util.List;

/// A fault put into the running server, that the checker has to find: a script with a piece of it
/// replaced. Each has a sale of its own.
///
/// @param script the resource
/// @param change pieces of it and what stands there instead
/// @param policy of the sale it is planted in
/// @param found the invariant that must not hold then
enum Plant {
  NONE("fairgate/sale/purchase.lua", List.of(), Plant.PAID, Invariant.I1),
  NO_LIMIT(
      "fairgate/sale/purchase.lua",
      List.of("had + quantity > most", "false"),
      """
      {"preset": "queue", "active_capacity": 10, "ready_slots": 10, "max_quantity": 2,
       "max_per_user": 1, "max_per_device": 1, "purchase_window_seconds": 2}
      """,
      Invariant.I7),
  NO_STOCK_CHECK(
      "fairgate/sale/purchase.lua",
      List.of("return stock < quantity and 'SOLD_OUT'", "return false"),
      Plant.PAID,
      Invariant.I2),
  RELEASE_TWICE(
      "fairgate/sale/payment/release.lua",
      List.of("redis.call('INCRBY', KEYS[2], q)", "redis.call('INCRBY', KEYS[2], q + q)"),
      Plant.PAID,
      Invariant.I1),
  TOKEN_NOT_USED(
      "fairgate/sale/purchase.lua",
      List.of("'used', '1'", "'used', '0'"),
      Plant.PAID,
      Invariant.I5),
  KEY_FORGOTTEN(
      "fairgate/sale/purchase.lua",
      List.of("if again then call('SET'", "if false then call('SET'"),
      Plant.PAID,
      Invariant.I6),
  NO_OUTBOX_ENTRY(
      "fairgate/sale/purchase.lua",
      List.of("call('XADD', KEYS[8], '*', ", "type("),
      Plant.PAID,
      Invariant.I3),
  BEYOND_CAPACITY(
      "fairgate/queue/admit.lua",
      List.of("math.min(tonumber(sale[4]) - inActive, most)", "most"),
      Plant.PAID,
      Invariant.I15),
  LAST_COME_FIRST_SERVED(
      "fairgate/queue/admit.lua", List.of("'ZPOPMIN'", "'ZPOPMAX'"), Plant.PAID, Invariant.I15),
  BATCH_TWICE(
      "fairgate/sale/stock_batch.lua",
      List.of(
          "redis.call('INCRBY', KEYS[2], ARGV[2])",
          "redis.call('INCRBY', KEYS[2], ARGV[2] * 2)",
          "'released', ARGV[2])",
          "'released', ARGV[2] * 2)"),
      Plant.PAID,
      Invariant.I16),
  MONEY_KEPT(
      "fairgate/sale/payment/confirm.lua",
      List.of("redis.call('HSETNX', order, 'refund:' .. payment, 1) == 1", "false"),
      Plant.PAID,
      Invariant.I10);

  private static final String PAID =
      """
      {"preset": "flash", "active_capacity": 8, "admit_per_second": null, "max_quantity": 2,
       "max_per_user": 3, "max_per_device": 3, "purchase_window_seconds": 2,
       "presence_timeout_seconds": 3, "token_ttl_seconds": 2, "payment_window_seconds": 1,
       "unpaid_cooldown_seconds": 1}
      """;

  private final String script;
  private final List<String> change;
  private final String policy;
  private final Invariant found;

  Plant(String script, List<String> change, String policy, Invariant found) {
    this.script = script;
    this.change = change;
    this.policy = policy;
    this.found = found;
  }

  /// Its sale.
  String product() {
    return Integer.toString(900 + ordinal());
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
    for (int i = 0; i < change.size(); i += 2) {
      if (!altered.contains(change.get(i))) {
        throw new IllegalStateException(script + " has no " + change.get(i));
      }
      altered = altered.replace(change.get(i), change.get(i + 1));
    }
    return altered;
  }
}
