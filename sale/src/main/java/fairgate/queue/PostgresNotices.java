package fairgate.queue;

import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.text.Language;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/// The operators' notices in PostgreSQL. Every method blocks.
record PostgresNotices(PostgresDatabase database) {
  private static final Duration TIMEOUT = Duration.ofSeconds(9);
  static final String STAMP =
      """
      SELECT coalesce(string_agg(product_id || ' ' || changed_at, ' ' ORDER BY product_id), '')
      FROM sale_notices
      """;
  private static final String ALL =
      """
      SELECT product_id, coalesce(texts->>'en', '') AS en, coalesce(texts->>'zh-Hant', '') AS hant,
        coalesce(texts->>'zh-Hans', '') AS hans
      FROM sale_notices
      """;
  private static final String PUT =
      """
      INSERT INTO sale_notices (product_id, texts)
      VALUES ($1, jsonb_strip_nulls(jsonb_build_object('en', $2::text, 'zh-Hant', $3::text,
        'zh-Hans', $4::text)))
      ON CONFLICT (product_id) DO UPDATE SET texts = excluded.texts, changed_at = now()
      """;
  private static final String REMOVE = "DELETE FROM sale_notices WHERE product_id = $1";

  /// All notices, each with at least one text.
  Map<ProductId, Map<Language, String>> all() {
    Map<ProductId, Map<Language, String>> found = new HashMap<>();
    for (Row row : BlockingWork.within(TIMEOUT, database.query(ALL), "PostgreSQL is too slow")) {
      Map<Language, String> texts = new EnumMap<>(Language.class);
      texts.put(Language.EN, row.getString("en"));
      texts.put(Language.ZH_HANT, row.getString("hant"));
      texts.put(Language.ZH_HANS, row.getString("hans"));
      texts.values().removeIf(String::isEmpty);
      found.put(new ProductId(row.getString("product_id")), Map.copyOf(texts));
    }
    return Map.copyOf(found);
  }

  /// Replaces the notice of a sale; no texts remove it.
  void put(ProductId product, Map<Language, String> texts) {
    int _ =
        database.tx(
            db ->
                texts.isEmpty()
                    ? db.update(REMOVE, product.value())
                    : db.update(
                        PUT,
                        product.value(),
                        texts.get(Language.EN),
                        texts.get(Language.ZH_HANT),
                        texts.get(Language.ZH_HANS)));
  }
}
