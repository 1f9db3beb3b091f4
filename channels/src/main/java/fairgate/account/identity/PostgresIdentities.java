package fairgate.account.identity;

import fairgate.kernel.KeySeal.Sealed;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Verified identities in PostgreSQL. The primary key permits one account per number (within a
/// sale, for identity numbers).
record PostgresIdentities(PostgresDatabase database) {
  private static final String OWNER =
      "SELECT account_id FROM account_identities WHERE kind = $1 AND event = $2 AND hash = $3";
  private static final String INSERT =
      """
      INSERT INTO account_identities
        (kind, event, hash, account_id, hint, verified_at, sealed_under, sealed)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      """;
  private static final String SEAL =
      """
      UPDATE account_identities SET sealed_under = $4, sealed = $5
      WHERE kind = $1 AND event = $2 AND hash = $3
      """;
  private static final String SEALED =
      """
      SELECT sealed_under, sealed FROM account_identities
      WHERE account_id = $1 AND kind = 'email' AND event = '' AND sealed IS NOT NULL
      """;

  private static final String DROP =
      "DELETE FROM account_identities WHERE account_id = $1 AND kind = $2 AND event = $3";

  private static final String LIST =
      """
      SELECT kind, event, hint, verified_at FROM account_identities
      WHERE account_id = $1 ORDER BY verified_at, kind, event
      """;

  /// Before a user name in `hashes`.
  static final String USERNAME = "account:";

  private static final String HASHES =
      """
      SELECT kind || ':' || hash AS name FROM account_identities
      WHERE account_id = $1 AND event IN ('', $2)
      UNION ALL SELECT 'account:' || name_key FROM accounts WHERE id = $1
      """;

  private static final String FIND =
      """
      SELECT a.created_at, i.hash, i.verified_at FROM accounts a
      LEFT JOIN account_identities i ON i.account_id = a.id AND i.kind = $2 AND i.event = $3
      WHERE a.id = $1
      """;

  /// Binds a number to the account. Blocks; a repeat changes nothing and has the same result.
  ///
  /// @param hash keyed hash of the number
  /// @param box an e-mail address, encrypted; null for the other kinds
  /// @return false if the number is bound to another account, or the account to another number
  boolean bind(String account, Identity identity, String hash, @Nullable Sealed box) {
    try {
      return database.tx(db -> bind(db, account, identity, hash, box));
    } catch (PostgresRefusal refusal) {
      if (refusal.duplicate()) {
        return false;
      }
      throw refusal;
    }
  }

  private static boolean bind(
      Db db, String account, Identity identity, String hash, @Nullable Sealed box) {
    List<Row> owner = db.query(OWNER, identity.kind(), identity.event(), hash);
    if (!owner.isEmpty()) {
      boolean own = account.equals(owner.getFirst().getString("account_id"));
      if (own && box != null) {
        db.update(SEAL, identity.kind(), identity.event(), hash, box.under(), box.box());
      }
      return own;
    }
    // A second telephone replaces the first. A second identity number does not: while it is bound,
    // one account is one person in a sale.
    if (!identity.kind().equals(Identity.NUMBER)) {
      db.update(DROP, account, identity.kind(), identity.event());
    }
    db.update(
        INSERT,
        identity.kind(),
        identity.event(),
        hash,
        account,
        identity.hint(),
        identity.verifiedAt().atOffset(ZoneOffset.UTC),
        box == null ? null : box.under(),
        box == null ? null : box.box());
    return true;
  }

  /// The encrypted e-mail address of an account. Blocks.
  Optional<Sealed> sealedEmail(String account) {
    return database.rows(SEALED, account).stream()
        .map(row -> new Sealed(row.getString("sealed_under"), row.getString("sealed")))
        .findFirst();
  }

  /// Removes an identity from its account; false if it has none of that kind. Blocks.
  boolean remove(String account, String kind, String event) {
    return database.update(DROP, account, kind, event) > 0;
  }

  /// The account that verified this contact.
  ///
  /// @param hash keyed hash of the contact
  Future<Optional<String>> owner(String kind, String hash) {
    return database.queryFirst(OWNER, row -> row.getString("account_id"), kind, "", hash);
  }

  /// The account with this user name.
  ///
  /// @param key the name as it is compared
  Future<Optional<String>> accountNamed(String key) {
    return database.queryFirst(
        "SELECT id FROM accounts WHERE name_key = $1", row -> row.getString("id"), key);
  }

  Future<List<Identity>> list(String account) {
    return database.queryList(
        LIST,
        row ->
            new Identity(
                row.getString("kind"),
                row.getString("event"),
                row.getString("hint"),
                row.getOffsetDateTime("verified_at").toInstant()),
        account);
  }

  /// The identities of an account that count in an event, as `kind:hash`, and its user name.
  Future<List<String>> hashes(String account, String event) {
    return database.queryList(HASHES, row -> row.getString("name"), account, event);
  }

  /// An account with its identity of one kind, if it has one; empty if there is no such account.
  Future<Optional<VerifiedIdentities.Verified>> find(String account, String kind, String event) {
    return database.queryFirst(FIND, PostgresIdentities::verified, account, kind, event);
  }

  private static VerifiedIdentities.Verified verified(Row row) {
    OffsetDateTime verifiedAt = row.getOffsetDateTime("verified_at");
    return new VerifiedIdentities.Verified(
        row.getOffsetDateTime("created_at").toInstant(),
        row.getString("hash"),
        verifiedAt == null ? null : verifiedAt.toInstant());
  }
}
