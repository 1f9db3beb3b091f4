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

  /// One claim, in one statement: the order held still, redemption, code and event written.
  private static final String CLAIM =
      """
      \\set i :i + 1
      \\set id :base + :client_id * 1000000 + :i
      WITH standing AS (
        SELECT platform, order_id, product_id FROM orders
        WHERE platform = 'taobao' AND order_id = 'TB' || :id AND status = 'paid'
          AND product_id = 'bench' AND (expires_at IS NULL OR expires_at > now()) FOR SHARE),
      won AS (
        INSERT INTO order_redemptions
          (platform, order_id, product_id, device_id, device, ip_address, claimed_at, code_id)
        SELECT platform, order_id, product_id, 'web_abc123xyz456', 'dddddddddddddddddddddd',
               '127.0.0.1', now(), nextval('redemption_codes_id_seq')
        FROM standing ON CONFLICT (platform, order_id) DO NOTHING
        RETURNING platform, order_id, code_id),
      born AS (
        INSERT INTO redemption_codes
          (id, product_id, platform, order_id, code_hash, code_box, key_id, last4, source, state,
           duration_days, starts, device_id, created_at, assigned_at, expires_at)
        SELECT code_id, 'bench', platform, order_id, sha256(order_id::bytea),
               decode(repeat('00', 46), 'hex'), 'k', 'X4CD', 'generated', 'assigned', 30, 'claim',
               'web_abc123xyz456', now(), now(), now() + interval '30 days'
        FROM won),
      told AS (
        INSERT INTO code_events (code_id, from_state, to_state, actor, reason, at)
        SELECT code_id, NULL, 'assigned', 'device:dddddddddddddddddddddd', 'claim', now() FROM won)
      SELECT code_id FROM won;
      """;

  private static final String LOOK =
      """
      SELECT r.device_id, r.device, c.state, c.key_id, c.code_hash, c.code_box, c.expires_at,
             c.duration_days
      FROM order_redemptions r JOIN redemption_codes c ON c.id = r.code_id
      WHERE r.platform = 'taobao' AND r.order_id = 'TB' || :id;
      """;

  private static final String MISS =
      """
      \\set id random(1000000000000000, 9000000000000000)
      SELECT product_id, status, expires_at FROM orders
      WHERE platform = 'taobao' AND order_id = 'TB' || :id;
      """;

  private final Wrk wrk;
  private final Pgbench raw;
  private final PostgresDatabase database;
  private final Table table;
  private final int rounds;
  private final int seconds;
  private long next = 7_000_000_000_000_000L;

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
    double[][] sql = new double[3][rounds];
    // Two rounds warm up, see `Measures.hotRoutes`.
    for (int i = -2; i < rounds; i++) {
      double[][] now = round();
      System.out.println("round " + i + ": " + Arrays.deepToString(now));
      for (int k = 0; k < now[0].length && i >= 0; k++) {
        http[k][i] = now[0][k];
        sql[k][i] = now[1][k];
      }
    }
    String[] names = {
      "claims / the SQL of one claim",
      "claims of one claimed order / the SQL of one look",
      "claims of unknown orders / the SQL of one look"
    };
    double[] least = {0.5, 0.6, 0.6};
    for (int k = 0; k < names.length; k++) {
      double[] ratios = new double[rounds];
      for (int i = 0; i < rounds; i++) {
        ratios[i] = http[k][i] / sql[k][i];
      }
      String speeds = Table.perSecond(http[k]) + " / " + Table.perSecond(sql[k]);
      table.ratio(names[k], speeds, ratios, least[k]);
    }
  }

  /// Over HTTP, and by pgbench: claims, claims of one order, claims of unknown orders.
  private double[][] round() throws IOException, InterruptedException {
    String time = Integer.toString(seconds);
    long served = orders(ORDERS);
    long claimed = served;
    List<String> numbers = numbers(served, ORDERS);
    long base = next;
    for (int client = 0; client < Pgbench.CLIENTS; client++) {
      long _ = orders(base + client * 1_000_000L, RAW_EACH + 1);
    }
    next = base + Pgbench.CLIENTS * 1_000_000L;
    List<String> unknown = numbers(next, ORDERS);
    next += ORDERS;
    settle();
    double claims = wrk.claims(numbers, PRODUCT, seconds).allGranted().perSecond();
    settle();
    double rawClaims =
        raw.run(CLAIM, "-t", Integer.toString(RAW_EACH), "-D", "i=0", "-D", "base=" + base);
    settle();
    return new double[][] {
      {
        claims,
        wrk.claims(List.of("TB" + claimed, "TB" + claimed), PRODUCT, seconds)
            .allRefused()
            .perSecond(),
        wrk.claims(unknown, PRODUCT, seconds).allRefused().perSecond()
      },
      {rawClaims, raw.run(LOOK, "-T", time, "-D", "id=" + claimed), raw.run(MISS, "-T", time)}
    };
  }

  /// What was written before must not be written out during a measurement.
  private void settle() {
    var _ = database.query("CHECKPOINT").await();
  }

  private static List<String> numbers(long from, int count) {
    return LongStream.range(from, from + count).mapToObj(id -> "TB" + id).toList();
  }

  private long orders(int count) {
    long from = next;
    next += count;
    return orders(from, count);
  }

  private long orders(long from, int count) {
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
    return from;
  }
}
