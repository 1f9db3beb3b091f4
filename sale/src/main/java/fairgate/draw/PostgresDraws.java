package fairgate.draw;

import fairgate.catalog.Product;
import fairgate.draw.leaf.DrawRules;
import fairgate.draw.tlog.StrictText;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.Rows;
import fairgate.platform.postgres.ChangePoll;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// The tables `draws` and `draw_leases`. Blocking calls are for virtual threads.
record PostgresDraws(PostgresDatabase database) {
  private static final String LOCK = "SELECT pg_advisory_xact_lock(4701781)";
  private static final String STAMP =
      """
      SELECT count(*)::text || ' ' || coalesce(max(version), 0) || '@'
        || (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM draws
      """;
  private static final String ALL = "SELECT * FROM draws ORDER BY id";
  private static final String ONE = "SELECT * FROM draws WHERE id = $1";

  /// Changes of products wait for this lock. A statement of its own: the next one sees the product
  /// and its policy as an earlier change has left them.
  private static final String LOCK_PRODUCT = "SELECT 1 FROM products WHERE id = $1 FOR SHARE";

  /// Whether the product is still as it was when its free units were counted and the rules were
  /// read.
  private static final String PRODUCT =
      """
      SELECT 1 FROM products p JOIN sale_policies s ON s.product_id = p.id AND s.active
      WHERE p.id = $1 AND p.total_stock = $2 AND s.version = $3 AND p.state <> 'closed'
      """;

  private static final String CREATE =
      """
      INSERT INTO draws (id, product_id, rules, chain, second_chain, round, created_by)
      VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
      """;
  private static final String RULES_PROOF =
      "UPDATE draws SET rules_proof = $2 WHERE id = $1 AND rules_proof = ''";
  private static final String SEAL_PROOF =
      "UPDATE draws SET seal_proof = $2 WHERE id = $1 AND seal_proof = ''";
  private static final String STEP = "UPDATE draws SET state = $3 WHERE id = $1 AND state = $2";
  private static final String SEAL =
      "UPDATE draws SET seal = $2 WHERE id = $1 AND state = 'sealing' AND seal IS NULL";
  private static final String BEACON =
      """
      UPDATE draws SET beacon = $2
      WHERE id = $1 AND state = 'sealed' AND beacon IS NULL AND round = $3 AND is_second = $4
      """;
  private static final String USE_SECOND =
      """
      UPDATE draws SET is_second = true
      WHERE id = $1 AND state = 'sealed' AND beacon IS NULL AND round = $2 AND NOT is_second
      """;
  private static final String NEXT_ROUND =
      """
      UPDATE draws SET round = $3
      WHERE id = $1 AND state = 'sealed' AND beacon IS NULL AND round = $2 AND NOT is_second
      """;
  private static final String RESULT =
      "UPDATE draws SET result = $2 WHERE id = $1 AND state = 'sealed' AND result IS NULL";
  private static final String REPORT =
      """
      UPDATE draws SET report = $2, allotments = $3
      WHERE id = $1 AND state = 'allocating' AND report IS NULL
      """;
  private static final String FAIL =
      """
      UPDATE draws SET state = 'aborted', abort_reason = $2
      WHERE id = $1 AND state IN ('announced', 'open', 'sealing', 'sealed') AND result IS NULL
      """;

  /// Nobody may know the random number: then the result could be thrown away.
  private static final String ABORT = FAIL + " AND beacon IS NULL AND clock_timestamp() < $3";

  private static final String LEASE =
      """
      INSERT INTO draw_leases AS l (draw, node, ends_at) VALUES ($1, $2, now() + make_interval(secs => $3))
      ON CONFLICT (draw) DO UPDATE SET node = $2, ends_at = EXCLUDED.ends_at
      WHERE l.node = $2 OR l.ends_at < now()
      """;

  private static final Rows ROWS =
      new Rows(LoggerFactory.getLogger(PostgresDraws.class), "draws in PostgreSQL");

  /// What changes with every change of a draw, and the time of PostgreSQL, ms.
  record Stamp(String versions, long now) {
    private static Stamp of(String text) {
      int at = text.indexOf('@');
      return new Stamp(text.substring(0, at), Long.parseLong(text, at + 1, text.length(), 10));
    }
  }

  Future<Stamp> stamp() {
    return database.query(STAMP).map(rows -> Stamp.of(rows.getFirst().getString(0)));
  }

  ChangePoll.Watch watch(Function<Stamp, Future<Void>> listener) {
    return database.changes().watch(STAMP, text -> listener.apply(Stamp.of(text)));
  }

  Future<List<Draw>> all() {
    return database
        .query(ALL)
        .map(rows -> ROWS.of(rows, PostgresDraws::draw, row -> row.getString("id")));
  }

  Optional<Draw> find(String id) {
    return database.reading(db -> db.query(ONE, id).stream().findFirst().map(PostgresDraws::draw));
  }

  enum Created {
    NEW,
    /// Another draw has the id, or the sale has another draw that is not over.
    TAKEN,
    TOO_MANY
  }

  /// Stores a new draw. The same rules again are a repeat. Throws ServiceUnavailable when the
  /// product has changed since.
  Created create(DrawRules rules, Product sale, Draw.Chains chains, int maxDraws, String actor) {
    ProductId product = sale.id();
    return database.tx(
        db -> {
          var _ = db.query(LOCK);
          Optional<Draw> had =
              db.query(ONE, rules.draw()).stream().findFirst().map(PostgresDraws::draw);
          if (had.isPresent()) {
            boolean isRepeat =
                had.get().rules().equals(rules) && had.get().product().equals(product);
            return isRepeat ? Created.NEW : Created.TAKEN;
          }
          if (db.query(ALL).size() >= maxDraws) {
            return Created.TOO_MANY;
          }
          var _ = db.query(LOCK_PRODUCT, product.value());
          int units = sale.details().totalStock();
          if (db.query(PRODUCT, product.value(), units, sale.policyVersion()).isEmpty()) {
            throw new ServiceUnavailable("the product has changed", Duration.ofSeconds(1));
          }
          int added =
              db.update(
                  CREATE,
                  rules.draw(),
                  product.value(),
                  rules.json(),
                  chains.first(),
                  chains.second(),
                  rules.beacon().round(),
                  actor);
          return added == 1 ? Created.NEW : Created.TAKEN;
        });
  }

  /// Takes or extends the lease on moving a draw.
  boolean lease(String draw, String node, Duration life) {
    return update(LEASE, draw, node, (double) life.toSeconds());
  }

  void keepRulesProof(String draw, String proof) {
    var _ = update(RULES_PROOF, draw, proof);
  }

  void keepSealProof(String draw, String proof) {
    var _ = update(SEAL_PROOF, draw, proof);
  }

  /// Moves a draw from one state to the next; false if it was in another.
  boolean step(String draw, Draw.State from, Draw.State to) {
    return update(STEP, draw, from.word(), to.word());
  }

  /// Decides the seal. Only the first one is kept.
  void seal(String draw, byte[] leaf) {
    var _ = update(SEAL, draw, Buffer.buffer(leaf));
  }

  /// Decides the beacon; false if it is decided or another round decides.
  boolean beacon(Draw draw, byte[] leaf) {
    return update(BEACON, draw.id(), Buffer.buffer(leaf), draw.round(), draw.isSecond());
  }

  /// Gives up a beacon round; false if the beacon is decided or another round decides.
  boolean nextRound(String draw, long givenUp, long next) {
    return update(NEXT_ROUND, draw, givenUp, next);
  }

  /// Gives up the last round of the first chain; false if the beacon is decided, or the draw is not
  /// at this round.
  boolean useSecond(String draw, long givenUp) {
    return update(USE_SECOND, draw, givenUp);
  }

  void result(String draw, byte[] leaf) {
    var _ = update(RESULT, draw, Buffer.buffer(leaf));
  }

  void report(String draw, byte[] leaf, String allotments) {
    var _ = update(REPORT, draw, Buffer.buffer(leaf), allotments);
  }

  /// Ends a draw by an operator's act; false if it is over or if its random number is due.
  ///
  /// @param due the time of the rules' round
  boolean abort(String draw, String reason, Instant due) {
    return update(ABORT, draw, reason, due.atOffset(ZoneOffset.UTC));
  }

  /// Ends a draw that cannot have a valid result; false if it is over or has one.
  boolean fail(String draw, String reason) {
    return update(FAIL, draw, reason);
  }

  private boolean update(String sql, @Nullable Object... args) {
    return database.update(sql, args) > 0;
  }

  static OffsetDateTime time(long millis) {
    return OffsetDateTime.ofInstant(Instant.ofEpochMilli(millis), ZoneOffset.UTC);
  }

  private static Draw draw(Row row) {
    DrawRules rules = DrawRules.parse(StrictText.bytes(row.getString("rules"))).orElseThrow();
    return new Draw(
        row.getString("id"),
        new ProductId(row.getString("product_id")),
        rules,
        Draw.Terms.of(rules),
        new Draw.Chains(row.getString("chain"), row.getString("second_chain")),
        Draw.State.of(row.getString("state")),
        row.getLong("round"),
        row.getBoolean("is_second"),
        row.getString("rules_proof"),
        row.getString("seal_proof"),
        new Draw.Leaves(
            bytes(row, "seal"), bytes(row, "beacon"), bytes(row, "result"), bytes(row, "report")),
        row.getString("allotments"),
        Optional.ofNullable(row.getString("abort_reason")),
        row.getLong("version"));
  }

  private static Optional<byte[]> bytes(Row row, String column) {
    return Optional.ofNullable(row.getBuffer(column)).map(Buffer::getBytes);
  }
}
