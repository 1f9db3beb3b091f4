package fairgate.app.retention;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.sale.ledger.LedgerFixture;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class ExpiredRowsTest {
  private static final LedgerFixture BOOKS = LedgerFixture.fresh(TestEngines.shared());

  @AfterAll
  static void close() {
    BOOKS.close();
  }

  private static void write(String sql) {
    int _ = BOOKS.database().tx(db -> db.update(sql));
  }

  private static List<String> left(String sql) {
    return BOOKS.database().tx(db -> db.query(sql).stream().map(row -> row.getString(0)).toList());
  }

  @Test
  void onlyRowsWithoutEffectAreRemovedAlsoMoreThanOneBatch() {
    write(
        """
        INSERT INTO accounts (id, username, name_key, password, created_at)
        VALUES ('acc_aaaaaaaaaaaaaaaaaaaaaa', 'ann', 'ann', '$argon2id$', now())
        """);
    write(
        """
        INSERT INTO account_sessions
          (id, account_id, token_hash, agent, created_at, seen_at, expires_at)
        SELECT n::text, 'acc_aaaaaaaaaaaaaaaaaaaaaa', n::text, '', now(), now(),
          now() + CASE WHEN n = 1 THEN interval '1 hour' ELSE interval '-1 second' END
        FROM generate_series(1, 5003) AS n
        """);
    write(
        """
        INSERT INTO account_names_kept
        VALUES ('old', now() - interval '1 second'), ('new', now() + interval '1 day')
        """);
    write(
        """
        INSERT INTO claim_bans (subject, reason, until, lifted_at) VALUES
          ('over', '', now() - interval '401 days', NULL),
          ('lifted', '', now() + interval '9 days', now() - interval '401 days'),
          ('recent', '', now() - interval '399 days', NULL)
        """);
    write(
        """
        INSERT INTO products (id, name, image_url, price, currency, total_stock, state, content)
        VALUES ('9', 'Shoe', '/pictures/shown', 1, 'TWD', 1, 'scheduled',
          '{"images": ["https://shop.example/pictures/listed"]}')
        """);
    write(
        """
        INSERT INTO pictures (id, type, bytes, actor, uploaded_at)
        SELECT id, 'image/png', 'x'::bytea, 'ann', now() - interval '31 days'
        FROM unnest(ARRAY['shown', 'listed', 'unused']) AS id
        UNION SELECT 'new', 'image/png', 'x'::bytea, 'ann', now() - interval '29 days'
        """);
    assertThat(ExpiredRows.remove(BOOKS.database())).isEqualTo(5_002 + 1 + 2 + 1);
    assertThat(left("SELECT id FROM account_sessions")).containsExactly("1");
    assertThat(left("SELECT name_hash FROM account_names_kept")).containsExactly("new");
    assertThat(left("SELECT subject FROM claim_bans")).containsExactly("recent");
    assertThat(left("SELECT id FROM pictures ORDER BY id"))
        .containsExactly("listed", "new", "shown");
    assertThat(ExpiredRows.remove(BOOKS.database())).as("a repeat").isZero();
  }
}
