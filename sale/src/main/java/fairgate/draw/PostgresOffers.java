package fairgate.draw;

import fairgate.draw.leaf.Allotment;
import fairgate.draw.leaf.Allotment.Status;
import fairgate.draw.tlog.Hash;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The table `draw_offers`: what each rank was offered, and what became of it. Blocking calls are
/// for virtual threads.
record PostgresOffers(PostgresDatabase database) {
  private static final String TOTALS =
      """
      SELECT count(*) AS ranks, coalesce(sum(bought), 0)::bigint AS bought,
        coalesce(sum(quantity) FILTER (WHERE bought IS NULL), 0)::bigint AS offered
      FROM draw_offers WHERE draw = $1
      """;
  private static final String ADD =
      """
      INSERT INTO draw_offers (draw, rank, index, status, quantity, claim_until, bought, passed)
      SELECT $1, n.rank, n.index, n.status, n.quantity,
        CASE WHEN n.status = 'offered' THEN $2::timestamptz END,
        CASE WHEN n.status <> 'offered' THEN 0 END, CASE WHEN n.status <> 'offered' THEN 0 END
      FROM (SELECT 1 FROM draws WHERE id = $1 AND state = 'allocating' FOR SHARE) AS draw,
        unnest($3::bigint[], $4::bigint[], $5::text[], $6::int[])
        AS n (rank, index, status, quantity)
      ON CONFLICT DO NOTHING
      """;

  /// A minute more than the offers last, because Redis ends them by its own clock.
  private static final String UNSEATED =
      """
      SELECT 1 FROM draw_offers o JOIN draws d ON d.id = o.draw
      WHERE d.product_id = $1 AND o.bought IS NULL AND NOT o.seated
        AND o.claim_until > now() - interval '1 minute'
      UNION ALL
      SELECT 1 FROM standby_entries WHERE product_id = $1 AND state = 'offering' LIMIT 1
      """;

  private static final String OPEN =
      """
      SELECT o.rank, o.quantity, o.claim_until, o.seated, e.session, e.device, e.entrant
      FROM draw_offers o JOIN draw_entries e USING (draw, index)
      WHERE draw = $1 AND o.bought IS NULL AND o.rank > $2 ORDER BY o.rank LIMIT 1000
      """;
  private static final String SEATED =
      """
      UPDATE draw_offers o SET seated = n.seated
      FROM unnest($2::bigint[], $3::boolean[]) AS n (rank, seated)
      WHERE o.draw = $1 AND o.rank = n.rank
      """;
  private static final String SETTLE =
      """
      UPDATE draw_offers o SET bought = n.bought, passed = o.quantity - n.bought, reason = n.reason
      FROM unnest($2::bigint[], $3::int[], $4::text[]) AS n (rank, bought, reason)
      WHERE o.draw = $1 AND o.rank = n.rank AND o.bought IS NULL
      """;
  private static final String UNLOGGED =
      """
      SELECT o.rank, o.passed, o.reason, e.leaf
      FROM draw_offers o JOIN draw_entries e USING (draw, index)
      WHERE draw = $1 AND o.passed > 0 AND NOT o.logged ORDER BY o.rank LIMIT 1000
      """;
  private static final String LOGGED =
      "UPDATE draw_offers SET logged = true WHERE draw = $1 AND rank = ANY($2::bigint[])";
  private static final String ALL =
      """
      SELECT rank, status, bought, passed FROM draw_offers
      WHERE draw = $1 AND rank >= $2 ORDER BY rank LIMIT 20000
      """;
  private static final String OWN =
      """
      SELECT status, claim_until, bought, passed FROM draw_offers WHERE draw = $1 AND index = $2
      """;

  /// The sums of all ranks so far.
  ///
  /// @param ranks number of ranks that were reached
  /// @param bought units
  /// @param offered units of offers that are open
  record Totals(long ranks, long bought, long offered) {}

  Totals totals(String draw) {
    Row row = database.reading(db -> db.query(TOTALS, draw).getFirst());
    return new Totals(row.getLong("ranks"), row.getLong("bought"), row.getLong("offered"));
  }

  record Treatment(long rank, long index, Status status, int quantity) {}

  /// Stores the treatment of the next ranks. A rank that has one keeps it, and a draw that was
  /// aborted gets none.
  ///
  /// @param claimUntil end of the new offers, ms
  /// @return how many were stored
  int add(String draw, List<Treatment> ranks, long claimUntil) {
    return database.update(
        ADD,
        draw,
        PostgresDraws.time(claimUntil),
        ranks.stream().map(Treatment::rank).toArray(Long[]::new),
        ranks.stream().map(Treatment::index).toArray(Long[]::new),
        ranks.stream().map(it -> word(it.status())).toArray(String[]::new),
        ranks.stream().map(Treatment::quantity).toArray(Integer[]::new));
  }

  /// Whether a winner of any draw of a sale, or the first of its waiting list, may still get a
  /// place.
  boolean isSeating(ProductId product) {
    return !database.rows(UNSEATED, product.value()).isEmpty();
  }

  private static String word(Status status) {
    return status.name().toLowerCase(Locale.ROOT);
  }

  /// An offer whose outcome is not known yet.
  ///
  /// @param claimUntil ms
  /// @param seated whether the winner has its place in the queue of the sale
  record OpenOffer(
      long rank,
      int quantity,
      long claimUntil,
      boolean seated,
      SessionId session,
      String device,
      @Nullable String user) {}

  /// Up to 1,000 open offers with higher ranks than this one.
  List<OpenOffer> open(String draw, long after) {
    return database.reading(
        db ->
            db.query(OPEN, draw, after).stream()
                .map(
                    row ->
                        new OpenOffer(
                            row.getLong("rank"),
                            row.getInteger("quantity"),
                            millis(row.getOffsetDateTime("claim_until")),
                            row.getBoolean("seated"),
                            new SessionId(row.getUUID("session").toString()),
                            row.getString("device"),
                            row.getString("entrant")))
                .toList());
  }

  private static long millis(OffsetDateTime time) {
    return time.toInstant().toEpochMilli();
  }

  /// Notes whether winners have their places.
  void seated(String draw, List<Long> ranks, boolean isSeated) {
    if (!ranks.isEmpty()) {
      Boolean[] values = new Boolean[ranks.size()];
      Arrays.fill(values, isSeated);
      int _ = database.update(SEATED, draw, ranks.toArray(Long[]::new), values);
    }
  }

  /// The outcome of an offer.
  ///
  /// @param reason why units were passed on; a public word
  record Settlement(long rank, int bought, String reason) {}

  /// Stores outcomes. The first outcome of an offer stays.
  void settle(String draw, List<Settlement> some) {
    if (!some.isEmpty()) {
      int _ =
          database.update(
              SETTLE,
              draw,
              some.stream().map(Settlement::rank).toArray(Long[]::new),
              some.stream().map(Settlement::bought).toArray(Integer[]::new),
              some.stream().map(Settlement::reason).toArray(String[]::new));
    }
  }

  /// Units that were passed on and whose leaf is not in the house log yet.
  record Passed(long rank, int units, String reason, Hash leaf) {}

  /// Up to 1,000 of them.
  List<Passed> unlogged(String draw) {
    return database.reading(
        db ->
            db.query(UNLOGGED, draw).stream()
                .map(
                    row ->
                        new Passed(
                            row.getLong("rank"),
                            row.getInteger("passed"),
                            Objects.requireNonNull(row.getString("reason")),
                            Hash.of(row.getBuffer("leaf").getBytes())))
                .toList());
  }

  void logged(String draw, List<Long> ranks) {
    int _ = database.update(LOGGED, draw, ranks.toArray(Long[]::new));
  }

  /// The allotments of all ranks that were reached. All offers must be settled.
  List<Allotment> allotments(String draw) {
    List<Allotment> all = new ArrayList<>();
    List<Row> page;
    do {
      long from = all.size();
      page = database.rows(ALL, draw, from);
      page.forEach(row -> all.add(allotment(row)));
    } while (!page.isEmpty());
    return all;
  }

  private static Allotment allotment(Row row) {
    return new Allotment(
        row.getLong("rank"),
        Status.valueOf(row.getString("status").toUpperCase(Locale.ROOT)),
        row.getInteger("bought"),
        row.getInteger("passed"));
  }

  /// What the entry at an index was offered.
  ///
  /// @param status `offered`, `withdrawn`, `excluded` or `unfit`
  /// @param claimUntil ms; 0 without an offer
  /// @param bought units; -1 while the offer is open
  public record Offer(String status, long claimUntil, int bought, int passed) {}

  /// The offer of an entry; empty while its rank was not reached.
  Future<Optional<Offer>> own(String draw, long index) {
    return database
        .query(OWN, draw, index)
        .map(
            rows ->
                rows.stream()
                    .findFirst()
                    .map(
                        row -> {
                          OffsetDateTime until = row.getOffsetDateTime("claim_until");
                          Integer bought = row.getInteger("bought");
                          return new Offer(
                              row.getString("status"),
                              until == null ? 0 : millis(until),
                              bought == null ? -1 : bought,
                              bought == null ? 0 : row.getInteger("passed"));
                        }));
  }
}
