package fairgate.prove;

import fairgate.prove.check.Invariant;

/// A fault put into the running server, that the checker has to find: a script with a piece of it
/// replaced, or a statement that takes a guard out of the database. Each has a sale of its own.
enum Plant {
  NONE("900", "fairgate/sale/purchase.lua", "", Plant.PAID, Invariant.I1),
  NO_LIMIT(
      "901",
      "fairgate/sale/purchase.lua",
      "+ quantity > limit -> + quantity < 0",
      """
      {"preset": "queue", "places_per_ip": null, "places_per_network": null,
       "units_per_ip": null, "active_capacity": 10, "ready_slots": 10, "max_quantity": 2,
       "max_per_user": 1, "max_per_device": 1, "purchase_window_seconds": 2,
       "unpaid_cooldown_seconds": 1}
      """,
      Invariant.I7),
  NO_STOCK_CHECK(
      "902",
      "fairgate/sale/purchase.lua",
      "stock < request.quantity -> false",
      Plant.PAID,
      Invariant.I2),
  RELEASE_TWICE(
      "903",
      "fairgate/sale/payment/release.lua",
      "call('INCRBY', STOCK, order.quantity) -> call('INCRBY', STOCK, order.quantity * 2)",
      Plant.PAID,
      Invariant.I1),
  TOKEN_NOT_USED(
      "904", "fairgate/sale/purchase.lua", "'used', '1' -> 'used', '0'", Plant.PAID, Invariant.I5),
  KEY_FORGOTTEN(
      "905",
      "fairgate/sale/purchase.lua",
      "call('SET', idempotency_redis_key(request),  -> type(",
      Plant.PAID,
      Invariant.I6),
  NO_OUTBOX_ENTRY(
      "906",
      "fairgate/sale/purchase.lua",
      "redis.call('XADD', outbox, '*',  -> type(",
      Plant.PAID,
      Invariant.I3),
  BEYOND_CAPACITY(
      "907",
      "fairgate/queue/admit.lua",
      "math.min(tonumber(sale.capacity) - in_active, MAX_MOVES) -> MAX_MOVES",
      Plant.PAID,
      Invariant.I15),
  LAST_COME_FIRST_SERVED(
      "908",
      "fairgate/queue/admit.lua",
      "'ZRANGE', queue -> 'ZREVRANGE', queue",
      Plant.PAID,
      Invariant.I15),
  ABSENCE_AGAINST_NOW(
      "911",
      "fairgate/queue/admit.lua",
      "not judges_presence or silence <= presence_ms -> silence <= presence_ms / 50\n"
          + "return unusual_missing == 0 -> return true",
      Plant.PAID,
      Invariant.I15),
  SESSION_OF_A_MINUTE(
      "912",
      "fairgate/queue/join.lua",
      "'PEXPIREAT', key, format('%d', sessions_expire_at) -> 'EXPIRE', key, 60",
      Plant.PAID,
      Invariant.I15),
  BATCH_TWICE(
      "909",
      "fairgate/sale/stock_batch.lua",
      "redis.call('INCRBY', STOCK, UNITS) -> redis.call('INCRBY', STOCK, UNITS * 2)\n"
          + "'released', UNITS) -> 'released', UNITS * 2)",
      Plant.PAID,
      Invariant.I16),
  MONEY_KEPT(
      "910",
      "fairgate/sale/payment/confirm.lua",
      "call('HSETNX', ORDER, REFUND_FIELD, 1) == 1 -> false",
      Plant.PAID,
      Invariant.I10),
  REFUND_FREES_TWICE(
      "913",
      "fairgate/sale/payment/refunded.lua",
      "'INCRBY', stock_key, order.quantity) -> 'INCRBY', stock_key, order.quantity * 2)",
      Plant.PAID,
      Invariant.I1),
  NETWORK_UNITS_KEPT(
      "915",
      "fairgate/sale/payment/release.lua",
      "add_units_of_networks(SALE, order, -order.quantity) -> type(order)",
      Plant.PAID,
      Invariant.I24),
  NETWORK_PLACES_KEPT(
      "916",
      "fairgate/sale/purchase.lua",
      "count('net:' .. network) -> type(network)",
      Plant.PAID,
      Invariant.I24),
  SHOW_UP_FORGOTTEN(
      "917",
      "fairgate/queue/expire.lua",
      "if seen < ready_at then -> if true then\n"
          + "reachable_since, now) / timeout_ms -> reachable_since, now)",
      Plant.PAID,
      Invariant.I15),
  TURN_WITHOUT_UNIT(
      "920",
      "fairgate/queue/admit.lua",
      "math.min(tonumber(sale.slots), stock, -> math.min(tonumber(sale.slots),\n"
          + "in_ready > stock -> false",
      Plant.PAID,
      Invariant.I43),
  LATER_TURN_FIRST(
      "921",
      "fairgate/queue/admit.lua",
      "call('ZRANGE', ACTIVE, in_ready, slots - 1) -> "
          + "call('ZREVRANGE', ACTIVE, 0, slots - in_ready - 1)",
      Plant.PAID,
      Invariant.I43),
  LATER_PLACE_BEFORE_LIST(
      "922",
      "fairgate/queue/admit.lua",
      "stock + tonumber(sale.held or '0') >= tonumber(sale.list_units) -> false",
      Plant.PAID.replace("\"payment_window_seconds\": 1,", "\"payment_window_seconds\": 60,"),
      Invariant.I45),
  LIST_BEFORE_EARLIER_PLACE(
      "923",
      "fairgate/queue/list_turn.lua",
      "local from = score_at(SINCE * 1000, SEAT) -> local from = '0'",
      Plant.PAID,
      Invariant.I45),
  /// Parts of a payment grow on their way to the refund worker, and no barrier stops them.
  PART_GROWS(
      "918",
      """
      DROP TRIGGER refunds_never_above_payment ON refunds;
      CREATE FUNCTION grow_part() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.amount := 3 * NEW.amount;
        RETURN NEW;
      END $$;
      CREATE TRIGGER grow_part BEFORE INSERT ON refunds FOR EACH ROW
        WHEN (NEW.order_id LIKE 'order\\_918\\_%' AND NEW.part <> '') EXECUTE FUNCTION grow_part();
      """,
      Invariant.I30),
  /// A deposit that is returned becomes no refund, so its money stays.
  DEPOSIT_STAYS(
      "924",
      "",
      """
      CREATE FUNCTION keep_deposit() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RETURN NULL;
      END $$;
      CREATE TRIGGER keep_deposit BEFORE INSERT ON refunds FOR EACH ROW
        WHEN (NEW.order_id LIKE 'order\\_924\\_u%') EXECUTE FUNCTION keep_deposit();
      """,
      Plant.PAID.replace("\"preset\"", "\"deposit\": {\"percent\": 20}, \"preset\""),
      Invariant.I46),
  /// The order asks for the rest, and its deposit goes back as well.
  DEPOSIT_ENDS_TWICE(
      "925",
      "fairgate/sale/purchase.lua",
      "call('HSET', DEPOSITS, order.deposit_id, order.id) -> type(order)",
      Plant.PAID.replace("\"preset\"", "\"deposit\": {\"percent\": 20}, \"preset\""),
      Invariant.I46),
  /// A check-in makes the database forget those of other orders.
  CHECK_IN_FORGOTTEN(
      "919",
      "",
      """
      CREATE OR REPLACE FUNCTION tickets_go_forward() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.product_id = '919' AND NEW.used_at IS NOT NULL AND pg_trigger_depth() = 1 THEN
          UPDATE tickets SET used_at = NULL, used_by = NULL, used_scan = NULL
          WHERE product_id = '919' AND order_id <> NEW.order_id AND used_at IS NOT NULL;
        END IF;
        RETURN NEW;
      END $$;
      """,
      """
      {"preset": "queue", "places_per_ip": null, "places_per_network": null,
       "units_per_ip": null, "active_capacity": 10, "ready_slots": 10, "max_quantity": 2,
       "max_per_user": 3, "max_per_device": 3, "purchase_window_seconds": 2,
       "unpaid_cooldown_seconds": 1}
      """,
      Invariant.I36),
  /// As without the primary key of `payments`: the order that a payment was booked on is forgotten.
  PAYMENT_PAYS_TWICE(
      "914",
      """
      CREATE FUNCTION forget_payment() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM payments WHERE payment_id = NEW.payment_id AND order_id LIKE 'order\\_914\\_%';
        RETURN NEW;
      END $$;
      CREATE TRIGGER forget_payment BEFORE INSERT ON payments FOR EACH ROW
        WHEN (NEW.order_id LIKE 'order\\_914\\_%') EXECUTE FUNCTION forget_payment();
      """,
      Invariant.I10);

  private static final String PAID =
      """
      {"preset": "flash", "places_per_ip": null, "places_per_network": null,
       "units_per_ip": null, "active_capacity": 8, "admit_per_second": null, "max_quantity": 2,
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

  /// @param product its sale
  /// @param statements of SQL that plant it
  /// @param found the invariant that must not hold then
  Plant(String product, String statements, Invariant found) {
    this(product, "", statements, PAID, found);
  }

  /// Its sale.
  String product() {
    return product;
  }

  /// The resource of the script it is in; empty for one in the database.
  String script() {
    return script;
  }

  String policy() {
    return policy;
  }

  boolean pays() {
    return policy.contains("payment_window_seconds");
  }

  Invariant found() {
    return found;
  }

  /// The statements that plant it into the database.
  String statements() {
    return change;
  }

  /// The script with the fault in it. Fails when the piece is not there: the plant has to follow
  /// the script.
  String planted(String source) {
    return altered(script, source, change);
  }

  /// A script with pieces of it replaced.
  static String altered(String script, String source, String change) {
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
