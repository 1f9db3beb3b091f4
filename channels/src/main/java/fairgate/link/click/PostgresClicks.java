package fairgate.link.click;

import fairgate.link.click.Clicks.LinkHour;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;

/// Adds clicks up in PostgreSQL.
record PostgresClicks(PostgresDatabase postgres) {
  private static final String ADD =
      """
      INSERT INTO short_link_clicks AS c (code, hour, clicks, bots, visitors)
      SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::bigint[])
      ON CONFLICT (code, hour) DO UPDATE SET clicks = c.clicks + excluded.clicks,
        bots = c.bots + excluded.bots, visitors = c.visitors + excluded.visitors
      """;
  private static final String SEEN =
      """
      INSERT INTO short_link_visitors (day, code, visitor)
      SELECT $1::date, * FROM unnest($2::text[], $3::bigint[])
      ON CONFLICT DO NOTHING RETURNING code, visitor
      """;
  private static final String SALT =
      """
      INSERT INTO short_link_salts (day, salt) VALUES ($1, $2)
      ON CONFLICT (day) DO UPDATE SET salt = short_link_salts.salt RETURNING salt
      """;

  record Row(LinkHour linkHour, long people, long bots, long visitors) {}

  record Visit(String code, long visitor) {}

  /// The salt of a day, the same on every node.
  ///
  /// @param fresh to be used when there is none yet
  String salt(LocalDate day, String fresh) {
    return postgres.tx(db -> db.query(SALT, day, fresh).getFirst().getString(0));
  }

  /// A unit of writing: all or nothing.
  <T> T tx(PostgresDatabase.Work<T> work) {
    return postgres.tx(work);
  }

  static void add(Db db, List<Row> rows) {
    db.update(
        ADD,
        rows.stream().map(row -> row.linkHour().code()).toArray(String[]::new),
        rows.stream()
            .map(row -> Instant.ofEpochMilli(row.linkHour().hour()).atOffset(ZoneOffset.UTC))
            .toArray(OffsetDateTime[]::new),
        rows.stream().map(Row::people).toArray(Long[]::new),
        rows.stream().map(Row::bots).toArray(Long[]::new),
        rows.stream().map(Row::visitors).toArray(Long[]::new));
  }

  /// Adds visitors of a day; returns the new ones.
  static List<Visit> seen(Db db, LocalDate day, List<Visit> visits) {
    return db
        .query(
            SEEN,
            day,
            visits.stream().map(Visit::code).toArray(String[]::new),
            visits.stream().map(Visit::visitor).toArray(Long[]::new))
        .stream()
        .map(row -> new Visit(row.getString(0), row.getLong(1)))
        .toList();
  }

  void forget(LocalDate before) {
    var _ =
        postgres.tx(
            db ->
                db.update("DELETE FROM short_link_visitors WHERE day < $1", before)
                    + db.update("DELETE FROM short_link_salts WHERE day < $1", before));
  }
}
