package fairgate.bench;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresSettings;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/// Claims over HTTP against the SQL of one claim, and of one look-up, as `pgbench` runs it by
/// itself.
final class Claims {
  private static final String PRODUCT = "bench";
  private static final int ORDERS = 150_000;
  private static final int RAW_EACH = 2_500;
  private static final int CHUNK = 50_000;

  /// One claim, in one statement: the order looked at, redemption, code and event written, or the
  /// redemption found that was there before.
  private static final String CLAIM =
      """
      WITH won AS (
        INSERT INTO order_redemptions
          (platform, order_id, product_id, device_id, device, ip_address, claimed_at, code_id)
        SELECT platform, order_id, product_id, 'web_abc123xyz456', 'dddddddddddddddddddddd',
               '127.0.0.1', now(), nextval('redemption_codes_id_seq')
        FROM orders WHERE platform = 'taobao' AND order_id = 'TB' || :id AND status = 'paid'
          AND product_id = 'bench' AND (expires_at IS NULL OR expires_at > now())
        ON CONFLICT (platform, order_id, product_id) DO NOTHING
        RETURNING platform, order_id, code_id),
      born AS (
        INSERT INTO redemption_codes
          (id, product_id, platform, order_id, code_hash, code_box, key_id, last4, source, state,
           duration_days, starts, device_id, created_at, assigned_at, expires_at)
        SELECT code_id, 'bench', platform, order_id, sha256(order_id::bytea),
               decode(repeat('00', 46), 'hex'), 'k', 'X4CD', 'generated', 'assigned', 30, 'claim',
               'web_abc123xyz456', now(), now(), now() + interval '30 days'
        FROM won),
      history AS (
        INSERT INTO code_events (code_id, from_state, to_state, actor, reason, at)
        SELECT code_id, NULL, 'assigned', 'device-dddddddddddddddddddddd', 'claim', now() FROM won)
      SELECT code_id, 'new' FROM won
      UNION ALL
      SELECT code_id, device FROM order_redemptions
      WHERE platform = 'taobao' AND order_id = 'TB' || :id;
      """;

  private static final String NEXT =
      "\\set i :i + 1\n\\set id :base + :client_id * 1000000 + :i\n" + CLAIM;
  private static final String ANY = "\\set id random(1000000000000000, 6000000000000000)\n" + CLAIM;

  private static final String LOOK =
      """
      SELECT r.device_id, r.device, c.state, c.key_id, c.code_hash, c.code_box, c.expires_at,
             c.duration_days
      FROM order_redemptions r JOIN redemption_codes c ON c.id = r.code_id
      WHERE r.platform = 'taobao' AND r.order_id = 'TB' || :id;
      """;

  private final Wrk wrk;
  private final Pgbench raw;
  private final PostgresDatabase database;
  private final Table table;
  private final int rounds;
  private final int seconds;
  private long next = 7_000_000_000_000_000L;
  private String claimed = "";

  Claims(Wrk wrk, Pgbench raw, PostgresDatabase database, Table table, int rounds, int seconds) {
    this.wrk = wrk;
    this.raw = raw;
    this.database = database;
    this.table = table;
    this.rounds = rounds;
    this.seconds = seconds;
  }

  static void measure(
      Vertx vertx,
      PostgresSettings settings,
      Wrk wrk,
      Pgbench raw,
      Table table,
      int rounds,
      int seconds)
      throws IOException, InterruptedException {
    try (PostgresDatabase database = PostgresDatabase.open(vertx, settings)) {
      new Claims(wrk, raw, database, table, rounds, seconds).run();
    }
  }

  private void run() throws IOException, InterruptedException {
    var _ =
        database
            .query(
                "INSERT INTO redeem_products (id, name, duration_days, actor)"
                    + " VALUES ($1, $1, 30, 'bench') ON CONFLICT DO NOTHING",
                PRODUCT)
            .await();
    double[][] http = new double[3][rounds];
    double[][] sql = new double[4][rounds];
    // Two rounds warm up, see `Measures.hotRoutes`.
    for (int i = -2; i < rounds; i++) {
      double[] web = web();
      double[] raw = raw();
      System.out.println("round " + i + ": " + Arrays.toString(web) + Arrays.toString(raw));
      for (int k = 0; k < raw.length && i >= 0; k++) {
        sql[k][i] = raw[k];
        if (k < web.length) {
          http[k][i] = web[k];
        }
      }
    }
    ratio("claims / the SQL of one claim", http[0], sql[0], 0.5);
    ratio("claims of one claimed order / the same SQL", http[1], sql[1], 0.6);
    ratio("claims of unknown orders / the same SQL", http[2], sql[2], 0.6);
    ratio("claims of one claimed order / a look at it by its key", http[1], sql[3], 0);
  }

  private void ratio(String what, double[] http, double[] sql, double least) {
    double[] ratios = new double[rounds];
    Arrays.setAll(ratios, i -> http[i] / sql[i]);
    table.ratio(what, Table.perSecond(http) + " / " + Table.perSecond(sql), ratios, least);
  }

  /// Over HTTP: claims, claims of one order, claims of unknown orders.
  private double[] web() throws IOException, InterruptedException {
    long from = orders(ORDERS);
    settle();
    double claims = wrk.claims(numbers(from, ORDERS), PRODUCT, seconds).allGranted().perSecond();
    settle();
    // Not the first one: wrk calls its script once before it starts.
    claimed = "TB" + (from + 100);
    double again = wrk.claims(List.of(claimed, claimed), PRODUCT, seconds).allRefused().perSecond();
    List<String> unknown = numbers(next, ORDERS);
    next += ORDERS;
    double misses = wrk.claims(unknown, PRODUCT, seconds).allRefused().perSecond();
    return new double[] {claims, again, misses};
  }

  /// By pgbench: the same, and a bare look.
  private double[] raw() throws IOException, InterruptedException {
    long base = next;
    for (int client = 0; client < Pgbench.CLIENTS; client++) {
      orders(base + client * 1_000_000L, RAW_EACH + 1);
    }
    next = base + Pgbench.CLIENTS * 1_000_000L;
    settle();
    String each = Integer.toString(RAW_EACH);
    String time = Integer.toString(seconds);
    String id = "id=" + claimed.substring(2);
    double claims = raw.run(NEXT, "-t", each, "-D", "i=0", "-D", "base=" + base);
    settle();
    return new double[] {
      claims,
      raw.run(CLAIM, "-T", time, "-D", id),
      raw.run(ANY, "-T", time),
      raw.run(LOOK, "-T", time, "-D", id)
    };
  }

  /// Waits until earlier writes are on disk, so that they do not slow down a measurement.
  private void settle() {
    var _ = database.query("CHECKPOINT").await();
  }

  private static List<String> numbers(long from, int count) {
    return LongStream.range(from, from + count).mapToObj(id -> "TB" + id).toList();
  }

  private long orders(int count) {
    long from = next;
    next += count;
    orders(from, count);
    return from;
  }

  private void orders(long from, int count) {
    for (long at = from; at < from + count; at += CHUNK) {
      var _ =
          database
              .query(
                  """
                  INSERT INTO orders (platform, order_id, product_id, status, paid_at, imported_at)
                  SELECT 'taobao', 'TB' || n, $3, 'paid', now(), now()
                  FROM generate_series($1::bigint, $2::bigint) AS n
                  """,
                  at,
                  Math.min(at + CHUNK, from + count) - 1,
                  PRODUCT)
              .await();
    }
  }
}
