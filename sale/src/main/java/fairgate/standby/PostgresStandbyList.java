package fairgate.standby;

import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.standby.StandbyEntry.State;
import fairgate.standby.StandbyList.Count;
import fairgate.standby.StandbyList.Line;
import io.vertx.sqlclient.Row;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads `standby_entries` for operators. Blocks.
record PostgresStandbyList(PostgresDatabase database) {
  private static final String BY_STATE =
      """
      SELECT state, count(*) AS people, sum(quantity) AS units FROM standby_entries
      WHERE product_id = $1 GROUP BY state
      """;
  private static final String PAGE =
      "SELECT place, reason, "
          + PostgresStandby.COLUMNS
          + """
           FROM standby_entries
          WHERE product_id = $1 AND place > $2 AND ($3 = '' OR state = $3) ORDER BY place LIMIT $4
          """;

  Map<State, Count> counts(ProductId product) {
    Map<State, Count> counts = new EnumMap<>(State.class);
    for (Row row : database.rows(BY_STATE, product.value())) {
      counts.put(
          PostgresStandby.state(row), new Count(row.getLong("people"), row.getLong("units")));
    }
    return counts;
  }

  List<Line> page(ProductId product, long after, @Nullable State only, int limit) {
    String state = only == null ? "" : only.word();
    return database.list(
        PAGE,
        row ->
            new Line(
                row.getLong("place"),
                PostgresStandby.entry(row),
                row.getString("reason"),
                row.getOffsetDateTime("created_at").toInstant()),
        product.value(),
        after,
        state,
        limit);
  }
}
